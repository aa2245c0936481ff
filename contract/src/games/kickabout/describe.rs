//! The static part of `describe`.

use serde_json::{Value, json};

use super::{Order, OrderStatus, Role, WithBall, WithoutBall, Zone};

/// Rules, vocabulary and every order with an example.
pub(super) fn describe() -> Value {
    json!({
        "game": "kickabout",
        "rules": "Top-down football, two teams of equal size. You never steer: you give your player orders and its own \
            mechanics carry them out 60 times a second, so an order given a second late is still good. Kicks go where the \
            player aims; bodies bump. The team with more goals when the clock ends wins; level scores go to a golden goal. \
            Seats nobody holds are played by bots with a default plan, and so is yours until you order something else.",
        "coordinates": "x is the distance from your own goal line, y the distance from your left touchline when you look at \
            the opponents' goal; a player is 30 units wide.",
        "loop": ["act take_seat once, keep the token", "observe with the token", "act order when you want a change", "observe again; your order's status tells how it went"],
        "calls": {
            "describe": { "example": {"type": "describe"} },
            "observe": { "optional": ["token", "since"], "example": {"type": "observe", "since": 0} },
            "act": { "required": ["action"], "optional": ["token"] },
        },
        "actions": {
            "take_seat": { "required": ["name"], "optional": ["team"], "name": "1 to 24 characters", "team": ["red", "blue"],
                "answer": "seat and token", "example": {"type": "take_seat", "name": "Nova", "team": "red"} },
            "order": { "required": ["order"], "needs_token": true, "example": {"type": "order", "order": {"type": "press"}} },
            "leave_seat": { "needs_token": true, "example": {"type": "leave_seat"} },
        },
        "orders": {
            "set_plan": { "does": "changes your standing plan: what you do when no order is active", "optional": ["with_ball", "without_ball"],
                "with_ball": WithBall::WORDS, "without_ball": "an object, see without_ball",
                "example": {"type": "set_plan", "with_ball": "pass", "without_ball": {"type": "hold_zone", "zone": "midfield_left"}} },
            "take_role": { "does": "changes your place in the formation", "required": ["role"], "role": Role::WORDS,
                "example": {"type": "take_role", "role": "forward"} },
            "mark": { "does": "stays goal-side of an opponent and takes the ball off them", "required": ["player"],
                "player": "an opponent's id", "example": {"type": "mark", "player": "p5"} },
            "press": { "does": "goes for the ball", "example": {"type": "press"} },
            "pass_to": { "does": "plays the ball to a team-mate once you have it", "required": ["player"],
                "player": "a team-mate's id", "example": {"type": "pass_to", "player": "p1"} },
            "shoot": { "does": "shoots at goal once you have the ball", "example": {"type": "shoot"} },
            "clear": { "does": "gets the ball far away from your goal", "example": {"type": "clear"} },
            "hold_zone": { "does": "stays in a zone", "required": ["zone"], "zone": Zone::WORDS,
                "example": {"type": "hold_zone", "zone": "defence_centre"} },
            "stop": { "does": "drops the active order; the standing plan goes on", "example": {"type": "stop"} },
        },
        "without_ball": { "type": WithoutBall::TYPES, "mark": "needs player", "hold_zone": "needs zone",
            "example": {"type": "mark", "player": "p5"} },
        "order_status": OrderStatus::WORDS,
        "order_types": Order::TYPES,
    })
}
