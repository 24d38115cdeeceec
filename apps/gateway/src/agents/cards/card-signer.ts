import { createPrivateKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { CardSigner } from '@gw/a2a';
import { cardKeyBinding, documentKey, type CardKeyDocument } from '@gw/contracts';
import { unseal, type Keyring } from '@gw/kernel';
import { readDocument, type Documents } from '../../auth/documents';

/** Finds the key of the installation that signs cards. */
export class CardSigners {
  private readonly signers = new WeakMap<CardKeyDocument, CardSigner>();

  constructor(
    private readonly documents: Documents,
    private readonly ring: Keyring,
  ) {}

  /** Returns the signer; null when the installation has no key, so that cards are not signed. */
  async current(): Promise<CardSigner | null> {
    const document = await readDocument(this.documents, documentKey.cardKey());
    if (document?.kind !== 'card_key') return null;
    let signer = this.signers.get(document);
    if (signer === undefined) this.signers.set(document, (signer = this.signerOf(document)));
    return signer;
  }

  private signerOf({ keyId, keySetUrl, sealedKey }: CardKeyDocument): CardSigner {
    const jwk = unseal(this.ring, sealedKey, cardKeyBinding(keyId)).toString('utf8');
    const key: KeyObject = createPrivateKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' });
    return {
      ...{ keyId, keySetUrl },
      sign: (signed) => sign('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }),
    };
  }
}
