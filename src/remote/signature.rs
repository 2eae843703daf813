//! Signatures of manifests (ed25519): who made an index. A manifest names its bundle by digest, so that all of it is signed.
//!
//! The private key is read from the environment in the call that signs; it is never stored.

use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::{RemoteFault, RemoteManifest};

/// The variable of the environment with the private key: 64 hexadecimal digits.
const PRIVATE_KEY: &str = "CODELENS_SIGNING_KEY";

/// Begins the bytes that are signed: no signature of anything else fits.
const CONTEXT: &[u8] = b"codelens manifest 1\n";

/// A signature of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestSignature {
    /// The public key, in hexadecimal.
    pub key: String,
    /// The signature, in hexadecimal.
    pub value: String,
}

/// The private key of this call.
pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Reads the key of the environment; `None` where there is none.
    ///
    /// # Errors
    /// For a value that is no key. It is not repeated.
    pub fn from_environment() -> Result<Option<Self>, RemoteFault> {
        let Some(text) = std::env::var_os(PRIVATE_KEY).filter(|it| !it.is_empty()) else {
            return Ok(None);
        };
        let seed = text.to_str().and_then(|text| bytes_of::<32>(text.trim()));
        let pair = seed.and_then(|seed| Ed25519KeyPair::from_seed_unchecked(&seed).ok());
        let what = "CODELENS_SIGNING_KEY is no key: `codelens remote key` makes one";
        pair.map(|pair| Some(Self(pair)))
            .ok_or(RemoteFault::Configuration(what))
    }

    /// Signs a manifest.
    pub fn sign(&self, manifest: &mut RemoteManifest) {
        manifest.signature = None;
        let value = self.0.sign(&signed_bytes(manifest));
        manifest.signature = Some(ManifestSignature {
            key: hex(self.0.public_key().as_ref()),
            value: hex(value.as_ref()),
        });
    }
}

/// A new pair of keys, in hexadecimal.
pub struct NewKeys {
    /// For `remote.trusted_keys` of those who pull.
    pub public: String,
    /// For the environment of those who push.
    pub private: String,
}

/// Makes a pair of keys; `None` where the system gives no random bytes.
pub fn new_keys() -> Option<NewKeys> {
    let mut seed = [0; 32];
    SystemRandom::new().fill(&mut seed).ok()?;
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).ok()?;
    Some(NewKeys {
        public: hex(pair.public_key().as_ref()),
        private: hex(&seed),
    })
}

/// Returns the public keys that a text lists, with commas or blanks between them; `None` for one that is no key.
pub fn public_keys(text: &str) -> Option<Vec<String>> {
    let keys = text.split([',', ' ']).filter(|key| !key.is_empty());
    keys.map(|key| bytes_of::<32>(key).map(|bytes| hex(&bytes)))
        .collect()
}

/// Whether a manifest has a signature that is right, by one of some keys.
pub fn is_signed_by(manifest: &RemoteManifest, keys: &[String]) -> bool {
    let Some(signature) = &manifest.signature else {
        return false;
    };
    let key = bytes_of::<32>(&signature.key).filter(|_| keys.contains(&signature.key));
    let (Some(key), Some(value)) = (key, bytes_of::<64>(&signature.value)) else {
        return false;
    };
    let bytes = signed_bytes(manifest);
    UnparsedPublicKey::new(&ED25519, key)
        .verify(&bytes, &value)
        .is_ok()
}

/// Returns the bytes that are signed: the manifest as it is stored, without its signature.
fn signed_bytes(manifest: &RemoteManifest) -> Vec<u8> {
    let bare = RemoteManifest {
        signature: None,
        ..manifest.clone()
    };
    [CONTEXT, &bare.to_bytes()].concat()
}

fn bytes_of<const N: usize>(hex: &str) -> Option<[u8; N]> {
    if hex.len() != 2 * N || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes all that is written");
    }
    text
}

#[cfg(test)]
mod tests {
    use ring::signature::Ed25519KeyPair;

    use super::{SigningKey, bytes_of, is_signed_by, new_keys, public_keys};
    use crate::remote::{BundlePart, RemoteManifest};

    fn manifest() -> RemoteManifest {
        let part = BundlePart {
            digest: "1".repeat(64),
            bytes: 5,
        };
        RemoteManifest {
            bytes: 5,
            parts: vec![part],
            ..RemoteManifest::new("a".repeat(40), "3".repeat(64), 4, 90)
        }
    }

    fn signer(private: &str) -> SigningKey {
        let seed = bytes_of::<32>(private).unwrap();
        SigningKey(Ed25519KeyPair::from_seed_unchecked(&seed).unwrap())
    }

    #[test]
    fn a_signature_holds_for_its_manifest_and_key_alone() {
        let (keys, others) = (new_keys().unwrap(), new_keys().unwrap());
        let trusted = [keys.public.clone()];
        assert!(!is_signed_by(&manifest(), &trusted));
        let mut signed = manifest();
        signer(&keys.private).sign(&mut signed);
        assert!(is_signed_by(&signed, &trusted));
        assert!(!is_signed_by(&signed, &[]));
        assert!(!is_signed_by(&signed, std::slice::from_ref(&others.public)));
        for change in [
            (|it: &mut RemoteManifest| it.files += 1) as fn(&mut RemoteManifest),
            |it| it.digest = "4".repeat(64),
            |it| it.parts[0].digest = "4".repeat(64),
            |it| it.commit = "b".repeat(40),
        ] {
            let mut changed = signed.clone();
            change(&mut changed);
            assert!(!is_signed_by(&changed, &trusted));
        }
        // Another one's signature under a trusted name.
        let mut forged = manifest();
        signer(&others.private).sign(&mut forged);
        forged.signature.as_mut().unwrap().key = keys.public;
        assert!(!is_signed_by(&forged, &trusted));
        for bad in ["", "zz", "é", &"é".repeat(32), &"0".repeat(127)] {
            let mut broken = signed.clone();
            broken.signature.as_mut().unwrap().value = bad.to_owned();
            assert!(!is_signed_by(&broken, &trusted), "{bad}");
        }
    }

    #[test]
    fn keys_are_listed_with_commas_or_blanks() {
        let (a, b) = ("a".repeat(64), "B".repeat(64));
        let found = public_keys(&format!("{a}, {b}")).unwrap();
        assert_eq!(found, [a.clone(), "b".repeat(64)]);
        for bad in ["x", &a[1..], &format!("{a},x"), &"é".repeat(32)] {
            assert_eq!(public_keys(bad), None, "{bad}");
        }
    }
}
