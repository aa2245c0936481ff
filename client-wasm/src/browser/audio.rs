//! Sounds, made on the spot: there is nothing to load.

use wasm_bindgen::JsValue;
use web_sys::{
    AudioBuffer, AudioContext, AudioContextState, AudioScheduledSourceNode, BiquadFilterType, GainNode, OscillatorType,
};

use crate::sound::Sound;

const LOUDNESS: f32 = 0.5;
/// Silence that an exponential fade can reach.
const SILENT: f32 = 0.000_1;
const NOISE_SECONDS: f32 = 2.0;

/// The loudspeaker. Browsers let a page be heard only after the person has touched it.
#[derive(Default)]
pub(super) struct Audio {
    mixer: Option<Mixer>,
    muted: bool,
}

struct Mixer {
    context: AudioContext,
    master: GainNode,
    noise: AudioBuffer,
}

impl Audio {
    /// The person has touched the page.
    pub(super) fn wake(&mut self) {
        if self.mixer.is_none() {
            // Without sound the game is still a game.
            self.mixer = Mixer::new().ok();
            self.apply();
        }
        if let Some(mixer) = &self.mixer
            && mixer.context.state() == AudioContextState::Suspended
        {
            let _ = mixer.context.resume();
        }
    }

    /// Turns sound off or on. Returns whether it is off now.
    pub(super) fn toggle(&mut self) -> bool {
        self.muted = !self.muted;
        self.apply();
        self.muted
    }

    /// Makes a sound.
    pub(super) fn play(&self, sound: Sound) {
        if self.muted {
            return;
        }
        if let Some(mixer) = self.mixer.as_ref().filter(|mixer| mixer.context.state() == AudioContextState::Running) {
            let _ = mixer.play(sound);
        }
    }

    fn apply(&self) {
        if let Some(mixer) = &self.mixer {
            mixer.master.gain().set_value(if self.muted { 0.0 } else { LOUDNESS });
        }
    }
}

/// A tone that slides from one pitch to another while it fades.
struct Tone {
    shape: OscillatorType,
    from_hz: f32,
    to_hz: f32,
    loudness: f32,
    seconds: f64,
}

impl Mixer {
    fn new() -> Result<Self, JsValue> {
        let context = AudioContext::new()?;
        let master = context.create_gain()?;
        master.connect_with_audio_node(&context.destination())?;
        let rate = context.sample_rate();
        let mut samples = vec![0.0_f32; (rate * NOISE_SECONDS) as usize];
        let mut state = 0x1234_5678_u32;
        for sample in &mut samples {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *sample = (state >> 8) as f32 / 8_388_608.0 - 1.0;
        }
        let noise = context.create_buffer(1, samples.len() as u32, rate)?;
        noise.copy_to_channel(&samples, 0)?;
        Ok(Self { context, master, noise })
    }

    fn play(&self, sound: Sound) -> Result<(), JsValue> {
        let now = self.context.current_time();
        match sound {
            Sound::Kick(power) => {
                self.thump(now, 0.35 + 0.55 * power, 150.0 + 60.0 * power)?;
                self.hiss(now, 0.25 * power, 1_800.0, 0.0, 0.07)
            }
            Sound::Pass => self.thump(now, 0.38, 140.0),
            Sound::Touch => self.thump(now, 0.13, 190.0),
            Sound::Bounce => self.tone(
                now,
                &Tone { shape: OscillatorType::Triangle, from_hz: 360.0, to_hz: 150.0, loudness: 0.22, seconds: 0.1 },
            ),
            Sound::Whistle(times) => (0..times).try_for_each(|blow| {
                let last = blow + 1 == times;
                self.whistle(now + 0.32 * f64::from(blow), if last { 0.5 } else { 0.2 })
            }),
            Sound::Cheer(joy) => self.hiss(now, 0.32 * joy, 850.0, 0.25, 2.2),
            Sound::Shot => self.tone(
                now,
                &Tone { shape: OscillatorType::Triangle, from_hz: 880.0, to_hz: 240.0, loudness: 0.16, seconds: 0.09 },
            ),
            Sound::Hit(nearness) => self.tone(
                now,
                &Tone {
                    shape: OscillatorType::Square,
                    from_hz: 190.0,
                    to_hz: 70.0,
                    loudness: 0.02 + 0.14 * nearness,
                    seconds: 0.11,
                },
            ),
            Sound::Burst(nearness) => {
                self.thump(now, 0.1 + 0.5 * nearness, 120.0)?;
                self.hiss(now, 0.06 + 0.3 * nearness, 620.0, 0.0, 0.55)
            }
            Sound::Click => self.tone(
                now,
                &Tone { shape: OscillatorType::Sine, from_hz: 620.0, to_hz: 900.0, loudness: 0.16, seconds: 0.08 },
            ),
        }
    }

    fn thump(&self, at: f64, loudness: f32, hz: f32) -> Result<(), JsValue> {
        self.tone(at, &Tone { shape: OscillatorType::Sine, from_hz: hz, to_hz: 46.0, loudness, seconds: 0.14 })
    }

    fn tone(&self, at: f64, tone: &Tone) -> Result<(), JsValue> {
        let gain = self.fading(at, tone.loudness, 0.0, tone.seconds)?;
        let source = self.context.create_oscillator()?;
        source.set_type(tone.shape);
        source.frequency().set_value_at_time(tone.from_hz, at)?;
        source.frequency().exponential_ramp_to_value_at_time(tone.to_hz, at + tone.seconds)?;
        source.connect_with_audio_node(&gain)?;
        source.start_with_when(at)?;
        source.stop_with_when(at + tone.seconds)
    }

    /// A pea whistle: two near tones, trilled.
    fn whistle(&self, at: f64, seconds: f64) -> Result<(), JsValue> {
        let gain = self.fading(at, 0.13, 0.02, seconds)?;
        let trill = self.context.create_oscillator()?;
        trill.frequency().set_value(31.0);
        let depth = self.context.create_gain()?;
        depth.gain().set_value(70.0);
        trill.connect_with_audio_node(&depth)?;
        for hz in [2_150.0, 2_310.0] {
            let source = self.context.create_oscillator()?;
            source.set_type(OscillatorType::Triangle);
            source.frequency().set_value(hz);
            depth.connect_with_audio_param(&source.frequency())?;
            source.connect_with_audio_node(&gain)?;
            source.start_with_when(at)?;
            source.stop_with_when(at + seconds)?;
        }
        trill.start_with_when(at)?;
        trill.stop_with_when(at + seconds)
    }

    /// Noise around a pitch: a slap when short, a crowd when long.
    fn hiss(&self, at: f64, loudness: f32, hz: f32, swell: f64, seconds: f64) -> Result<(), JsValue> {
        let gain = self.fading(at, loudness, swell, seconds)?;
        let filter = self.context.create_biquad_filter()?;
        filter.set_type(BiquadFilterType::Bandpass);
        filter.frequency().set_value(hz);
        filter.q().set_value(0.7);
        filter.connect_with_audio_node(&gain)?;
        let source = self.context.create_buffer_source()?;
        source.set_buffer(Some(&self.noise));
        source.set_loop(true);
        source.connect_with_audio_node(&filter)?;
        let scheduled: &AudioScheduledSourceNode = source.as_ref();
        scheduled.start_with_when(at)?;
        scheduled.stop_with_when(at + seconds)
    }

    /// Something that swells to a loudness and fades away.
    fn fading(&self, at: f64, loudness: f32, swell: f64, seconds: f64) -> Result<GainNode, JsValue> {
        let gain = self.context.create_gain()?;
        let level = gain.gain();
        level.set_value_at_time(SILENT, at)?;
        level.exponential_ramp_to_value_at_time(loudness.max(SILENT), at + swell.max(0.004))?;
        level.exponential_ramp_to_value_at_time(SILENT, at + seconds)?;
        gain.connect_with_audio_node(&self.master)?;
        Ok(gain)
    }
}
