//! A static model on the disk, in the layout of model2vec: the vector of a text is the mean of its tokens' rows.
//!
//! Makes no connection, and needs no more of a model than its rows: some ten thousand texts a second.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use tokenizers::Tokenizer;

use super::ModelFault;
use crate::model::QuantizedVector;

/// The largest file of a model, in bytes.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// The most tokens of a text that count.
const MAX_TOKENS: usize = 2_048;

/// A model that was read whole.
pub(super) struct StaticModel {
    tokenizer: Tokenizer,
    /// The token for words that the model does not know, which says nothing.
    unknown: Option<u32>,
    rows: Vec<f32>,
    dimensions: usize,
    /// The row of each token, where tokens share rows.
    row_of: Option<Vec<u32>>,
    /// The weight of each token, where they differ.
    weights: Option<Vec<f32>>,
    digest: [u8; 32],
}

/// The part of `tokenizer.json` that names the token of unknown words.
#[derive(Default, Deserialize)]
struct TokenizerFile {
    #[serde(default)]
    model: TokenizerModel,
}

#[derive(Default, Deserialize)]
struct TokenizerModel {
    #[serde(default)]
    unk_token: Option<String>,
}

impl StaticModel {
    /// Reads the model of a directory: `tokenizer.json` and `model.safetensors`, in which `embeddings` has a row for each token.
    ///
    /// # Errors
    /// For a directory without them, and for files that are not in that form.
    pub(super) fn read(directory: &Path) -> Result<Self, ModelFault> {
        let wrong = ModelFault::Files;
        let tokenizer = file(directory, "tokenizer.json")?;
        let tensors = file(directory, "model.safetensors")?;
        let mut hasher = blake3::Hasher::new();
        for bytes in [&tokenizer, &tensors] {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        let names: TokenizerFile = serde_json::from_slice(&tokenizer).unwrap_or_default();
        let mut tokenizer = Tokenizer::from_bytes(&tokenizer)
            .map_err(|_| wrong("`tokenizer.json` is no tokenizer of a known kind"))?;
        tokenizer.with_padding(None);
        if tokenizer.with_truncation(None).is_err() {
            return Err(wrong("`tokenizer.json` is no tokenizer of a known kind"));
        }
        let tensors = SafeTensors::deserialize(&tensors)
            .map_err(|_| wrong("`model.safetensors` is not in that format"))?;
        let table = tensors
            .tensor("embeddings")
            .map_err(|_| wrong("`model.safetensors` has no tensor `embeddings`"))?;
        let &[n_rows, dimensions] = table.shape() else {
            return Err(wrong("`embeddings` is no table of rows"));
        };
        if n_rows == 0 || !(1..=super::MAX_DIMENSIONS).contains(&dimensions) {
            return Err(wrong("`embeddings` is no table of rows"));
        }
        let rows = numbers(table.dtype(), table.data())
            .ok_or(wrong("`embeddings` is of a type that is not read"))?;
        let list = |name: &str| tensors.tensor(name).ok();
        let weights = match list("weights") {
            Some(weights) => Some(
                numbers(weights.dtype(), weights.data())
                    .ok_or(wrong("`weights` is of a type that is not read"))?,
            ),
            None => None,
        };
        let row_of = match list("mapping") {
            Some(mapping) => Some(
                row_numbers(mapping.dtype(), mapping.data())
                    .filter(|rows| rows.iter().all(|row| (*row as usize) < n_rows))
                    .ok_or(wrong("`mapping` names rows that are not there"))?,
            ),
            None => None,
        };
        let unknown = names
            .model
            .unk_token
            .and_then(|it| tokenizer.token_to_id(&it));
        Ok(Self {
            tokenizer,
            unknown,
            rows,
            dimensions,
            row_of,
            weights,
            digest: hasher.finalize().into(),
        })
    }

    /// Returns BLAKE3 of its files.
    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Returns the vector of a text; zeros for one without a known token.
    ///
    /// # Errors
    /// For a text that the tokenizer refuses, and rows that hold no numbers.
    pub(super) fn embed(&self, text: &str) -> Result<QuantizedVector, ModelFault> {
        let sum = self.sum(text)?;
        QuantizedVector::of(&sum).ok_or(ModelFault::Files("a row holds no numbers"))
    }

    /// Returns the sum of the rows of a text's tokens, which has the direction of their mean.
    pub(super) fn sum(&self, text: &str) -> Result<Vec<f32>, ModelFault> {
        let encoded = self
            .tokenizer
            .encode_fast(text, false)
            .map_err(|_| ModelFault::Files("the tokenizer refuses a text"))?;
        let mut sum = vec![0.0; self.dimensions];
        let tokens = encoded
            .get_ids()
            .iter()
            .filter(|it| Some(**it) != self.unknown);
        for token in tokens.take(MAX_TOKENS) {
            let token = *token as usize;
            let row = match &self.row_of {
                Some(rows) => rows.get(token).copied().map(|row| row as usize),
                None => Some(token),
            };
            let weight = self
                .weights
                .as_ref()
                .map_or(Some(1.0), |weights| weights.get(token).copied());
            let (Some(row), Some(weight)) = (row, weight) else {
                continue;
            };
            let from = row * self.dimensions;
            let Some(row) = self.rows.get(from..from + self.dimensions) else {
                continue;
            };
            for (sum, component) in sum.iter_mut().zip(row) {
                *sum += weight * component;
            }
        }
        Ok(sum)
    }
}

fn file(directory: &Path, name: &str) -> Result<Vec<u8>, ModelFault> {
    let path = directory.join(name);
    let is_usable = path
        .metadata()
        .is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_FILE_BYTES);
    let missing = ModelFault::Files(match name {
        "tokenizer.json" => "the directory that `model` names has no `tokenizer.json`",
        _ => "the directory that `model` names has no `model.safetensors`",
    });
    if !is_usable {
        return Err(missing);
    }
    std::fs::read(path).map_err(|_| missing)
}

/// Returns the numbers of a tensor; `None` for a type that no static model has.
fn numbers(kind: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    #[allow(clippy::cast_possible_truncation, reason = "weights of tokens")]
    Some(match kind {
        Dtype::F64 => {
            let (numbers, _) = bytes.as_chunks::<8>();
            numbers
                .iter()
                .map(|it| f64::from_le_bytes(*it) as f32)
                .collect()
        }
        Dtype::F32 => {
            let (numbers, _) = bytes.as_chunks::<4>();
            numbers.iter().map(|it| f32::from_le_bytes(*it)).collect()
        }
        Dtype::F16 => {
            let (numbers, _) = bytes.as_chunks::<2>();
            numbers
                .iter()
                .map(|it| half(u16::from_le_bytes(*it)))
                .collect()
        }
        Dtype::BF16 => {
            let (numbers, _) = bytes.as_chunks::<2>();
            let wide = |it: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*it)) << 16);
            numbers.iter().map(wide).collect()
        }
        Dtype::I8 => bytes.iter().map(|it| f32::from(it.cast_signed())).collect(),
        _ => return None,
    })
}

/// Returns the row numbers of a tensor.
fn row_numbers(kind: Dtype, bytes: &[u8]) -> Option<Vec<u32>> {
    match kind {
        Dtype::I64 => {
            let (numbers, _) = bytes.as_chunks::<8>();
            let number = |it: &[u8; 8]| u32::try_from(i64::from_le_bytes(*it)).ok();
            numbers.iter().map(number).collect()
        }
        Dtype::I32 => {
            let (numbers, _) = bytes.as_chunks::<4>();
            let number = |it: &[u8; 4]| u32::try_from(i32::from_le_bytes(*it)).ok();
            numbers.iter().map(number).collect()
        }
        _ => None,
    }
}

/// Returns a number of 16 bits (IEEE 754 binary16) with 32.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    match exponent {
        // Below the least normal number: fraction × 2^-24.
        0 => {
            let number = f32::from(bits & 0x3ff) / 16_777_216.0;
            if sign == 0 { number } else { -number }
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::{StaticModel, half};

    /// Writes a model of a few words, with two components each.
    pub(in crate::embed) fn write_model(directory: &Path, words: &[(&str, [f32; 2])]) {
        let vocabulary: serde_json::Map<String, serde_json::Value> = std::iter::once("[UNK]")
            .chain(words.iter().map(|(word, _)| *word))
            .enumerate()
            .map(|(at, word)| (word.to_owned(), at.into()))
            .collect();
        let tokenizer = serde_json::json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        });
        std::fs::write(directory.join("tokenizer.json"), tokenizer.to_string()).unwrap();
        let rows = std::iter::once([9.0, 9.0]).chain(words.iter().map(|(_, row)| *row));
        let bytes: Vec<u8> = rows.flatten().flat_map(f32::to_le_bytes).collect();
        write_tensor(
            directory,
            "F32",
            &format!("[{},2]", words.len() + 1),
            &bytes,
        );
    }

    fn write_tensor(directory: &Path, kind: &str, shape: &str, bytes: &[u8]) {
        let header = format!(
            r#"{{"embeddings":{{"dtype":"{kind}","shape":{shape},"data_offsets":[0,{}]}}}}"#,
            bytes.len()
        );
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend(bytes);
        std::fs::write(directory.join("model.safetensors"), file).unwrap();
    }

    #[test]
    fn a_text_is_the_mean_of_its_words() {
        let place = tempfile::tempdir().unwrap();
        write_model(place.path(), &[("open", [1.0, 0.0]), ("close", [0.0, 1.0])]);
        let model = StaticModel::read(place.path()).unwrap();
        assert_eq!(model.sum("Open nothing close open").unwrap(), [2.0, 1.0]);
        assert_eq!(model.embed("open").unwrap().to_bytes(), [127, 0]);
        // Nothing that is known: zeros, which are near nothing.
        assert_eq!(model.embed("unheard").unwrap().to_bytes(), [0, 0]);
        let digest = model.digest();
        write_model(place.path(), &[("open", [1.0, 0.5]), ("close", [0.0, 1.0])]);
        assert_ne!(StaticModel::read(place.path()).unwrap().digest(), digest);
    }

    #[test]
    fn rows_of_other_types_are_read() {
        let place = tempfile::tempdir().unwrap();
        write_model(place.path(), &[("open", [1.0, 0.0])]);
        for (kind, bytes, wanted) in [
            ("F16", vec![0, 0, 0, 0, 0x00, 0x3c, 0x00, 0xc0], [1.0, -2.0]),
            (
                "BF16",
                vec![0, 0, 0, 0, 0x80, 0x3f, 0x00, 0xc0],
                [1.0, -2.0],
            ),
            ("I8", vec![0, 0, 3, 0xfe], [3.0, -2.0]),
        ] {
            write_tensor(place.path(), kind, "[2,2]", &bytes);
            let model = StaticModel::read(place.path()).unwrap();
            assert_eq!(model.sum("open").unwrap(), wanted, "{kind}");
        }
    }

    #[test]
    fn files_that_are_no_model_are_told() {
        let place = tempfile::tempdir().unwrap();
        let said = || match StaticModel::read(place.path()) {
            Ok(_) => String::new(),
            Err(fault) => fault.to_string(),
        };
        assert!(said().contains("no `tokenizer.json`"), "{}", said());
        write_model(place.path(), &[("open", [1.0, 0.0])]);
        for (kind, shape, n_bytes, part) in [
            ("F32", "[2,2]", 15, "not in that format"),
            ("F32", "[4]", 16, "no table"),
            ("F32", "[0,2]", 0, "no table"),
            ("U8", "[2,2]", 4, "type"),
        ] {
            write_tensor(place.path(), kind, shape, &vec![0; n_bytes]);
            assert!(said().contains(part), "{kind} {shape}: {}", said());
        }
        std::fs::write(place.path().join("model.safetensors"), b"short").unwrap();
        assert!(said().contains("not in that format"), "{}", said());
        std::fs::remove_file(place.path().join("model.safetensors")).unwrap();
        assert!(said().contains("no `model.safetensors`"), "{}", said());
        std::fs::write(place.path().join("model.safetensors"), b"short").unwrap();
        std::fs::write(place.path().join("tokenizer.json"), b"{}").unwrap();
        assert!(said().contains("no tokenizer"), "{}", said());
    }

    #[test]
    fn halves_are_read_as_they_are() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x8001, -5.960_464_5e-8),
            (0x3555, 0.333_251_95),
        ] {
            assert_eq!(half(bits).to_bits(), f32::to_bits(number), "{bits:x}");
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }
}
