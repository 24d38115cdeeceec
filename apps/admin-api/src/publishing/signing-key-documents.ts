import {
  cardKeyBinding,
  signingKeyDocumentBinding,
  type CardKeyDocument,
  type DocumentKey,
  type ReadModelDocument,
  type SigningKeyDocument,
} from '@gw/contracts';
import { seal } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { CARD_KEYS_PATH } from '../platform/agents/card-keys';
import { SigningKeys } from '../platform/oauth/signing-keys';
import { Secrets, SETTINGS, type AdminSettings } from '../settings';
import { versioned } from './document-builders';

/**
 * Builds the documents of the keys with which gateways sign tokens for upstream servers and agent
 * cards.
 */
@Injectable()
export class SigningKeyDocuments {
  constructor(
    private readonly keys: SigningKeys,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Adds the document for each key. Adds none without a public URL, at which the key set is
   * published.
   */
  async add(wanted: readonly DocumentKey[], to: Map<DocumentKey, ReadModelDocument>): Promise<void> {
    const { PUBLIC_URL: issuer } = this.settings;
    if (wanted.length === 0 || issuer === null) return;
    const [current] = (await this.keys.read()).keys;
    if (current === undefined) return;
    const { kid = '' } = current;
    const document = versioned<SigningKeyDocument>({ kind: 'signing_key', issuer, kid, sealedPrivate: '' });
    const binding = signingKeyDocumentBinding(kid);
    const sealedPrivate = seal(this.secrets.sealingKeyring, JSON.stringify(current), binding);
    for (const key of wanted) to.set(key, { ...document, sealedPrivate });
  }

  /** Adds the key that signs agent cards, by the same rules as `add`. */
  async addCardKey(wanted: readonly DocumentKey[], to: Map<DocumentKey, ReadModelDocument>): Promise<void> {
    const { PUBLIC_URL } = this.settings;
    if (wanted.length === 0 || PUBLIC_URL === null) return;
    const [current] = (await this.keys.read('cards')).keys;
    if (current === undefined) return;
    const { kid: keyId = '' } = current;
    const keySetUrl = `${PUBLIC_URL}/${CARD_KEYS_PATH}`;
    const document = versioned<CardKeyDocument>({ kind: 'card_key', keyId, keySetUrl, sealedKey: '' });
    const sealedKey = seal(this.secrets.sealingKeyring, JSON.stringify(current), cardKeyBinding(keyId));
    for (const key of wanted) to.set(key, { ...document, sealedKey });
  }
}
