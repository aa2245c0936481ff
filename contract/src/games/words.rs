//! How lists of words are made.

/// A list of words that is an enum, its JSON and its wire index at once.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every value, in wire order.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant),*];
            /// The words for them, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                Self::WORDS[self as usize]
            }
        }
    };
}

pub(crate) use words;
