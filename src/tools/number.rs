//! Whole numbers of tool inputs, with the bounds that their schema names.
//!
//! A number out of bounds is no error: `clamp` takes the nearer bound.

use std::borrow::Cow;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number from `MIN` to `MAX`: `Option<Number<1, 200>>` is an optional field of 1 to 200. An `i64`'s own bounds are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Number<const MIN: i64 = { i64::MIN }, const MAX: i64 = { i64::MAX }>(i64);

impl<const MIN: i64, const MAX: i64> Number<MIN, MAX> {
    /// Returns the number as it was written.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> From<Number<MIN, MAX>> for i64 {
    fn from(number: Number<MIN, MAX>) -> Self {
        number.0
    }
}

impl<const MIN: i64, const MAX: i64> FromStr for Number<MIN, MAX> {
    type Err = NotWhole;

    fn from_str(text: &str) -> Result<Self, NotWhole> {
        text.parse()
            .map(Self)
            .or_else(|error: ParseIntError| match error.kind() {
                IntErrorKind::PosOverflow => Ok(Self(i64::MAX)),
                IntErrorKind::NegOverflow => Ok(Self(i64::MIN)),
                _ => Err(NotWhole),
            })
    }
}

/// A text that is no whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no whole number")]
pub struct NotWhole;

/// Reads `5` and `5.0`; a number beyond the range of an `i64` is its bound, so that the caller's clamping sees its sign.
impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Number<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = serde_json::Number::deserialize(from)?;
        if let Some(whole) = value.as_i64() {
            return Ok(Self(whole));
        }
        match value.as_f64() {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "`as` saturates, which is the clamping that is meant"
            )]
            Some(float) if float.fract() == 0.0 => Ok(Self(float as i64)),
            _ => Err(D::Error::custom(format!("{value} is not a whole number"))),
        }
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Number<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Number{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({"type": "integer"});
        if MIN > i64::MIN {
            schema.insert("minimum".to_owned(), MIN.into());
        }
        if MAX < i64::MAX {
            schema.insert("maximum".to_owned(), MAX.into());
        }
        schema
    }
}

/// Returns a number within the range, or the default.
pub fn clamp(
    value: Option<impl Into<i64>>,
    default: usize,
    range: std::ops::RangeInclusive<usize>,
) -> usize {
    let value = value.map_or(default, |n| {
        usize::try_from(n.into().max(0)).unwrap_or(usize::MAX)
    });
    value.clamp(*range.start(), *range.end())
}
