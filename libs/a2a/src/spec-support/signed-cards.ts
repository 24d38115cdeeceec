import { readSigningKey, type SigningKey } from '@gw/kernel';
import { ecKeyPair, encodedPart, signatureOf, type TokenKeyPair } from '@gw/testing';
import { cardPayload, type Members } from '../index';

export const AGENT = 'https://agent.example.org';

/** A card of 1.0 without empty members. */
export const FULL_CARD: Members = {
  name: 'A',
  description: 'd',
  version: '1',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'skill', tags: ['t'] }],
  supportedInterfaces: [{ url: `${AGENT}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
};

/** A card whose required members are empty. */
export const BARE_CARD: Members = { ...FULL_CARD, description: '', skills: [] };

export const TRUSTED = ecKeyPair('trusted');
export const STRANGER = ecKeyPair('stranger');

export function keyOf(pair: TokenKeyPair): SigningKey {
  const key = readSigningKey(pair.jwk);
  if (key === null) throw new Error('The key cannot verify.');
  return key;
}

interface Recipe {
  readonly header?: object;
  /** Payload that is signed instead of the canonical card. */
  readonly payload?: string;
  /** Signing function that replaces the key. */
  readonly sign?: (signed: string) => Buffer;
}

/** Returns the entry of `signatures` with a key's signature of a card. */
export function signatureBy(
  pair: TokenKeyPair,
  card: Members,
  { header, payload, sign }: Recipe = {},
): Members {
  const protectedPart = encodedPart({ alg: pair.algorithm, typ: 'JOSE', kid: pair.id, ...header });
  const signed = `${protectedPart}.${encodedPart(payload ?? cardPayload(card))}`;
  const bytes = sign?.(signed) ?? signatureOf(pair, signed);
  return { protected: protectedPart, signature: bytes.toString('base64url') };
}

export const signedBy = (pair: TokenKeyPair, card: Members, recipe: Recipe = {}): Members => ({
  ...card,
  signatures: [signatureBy(pair, card, recipe)],
});
