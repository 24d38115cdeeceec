import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { SamlEndpoint } from './idp-metadata';
import { ENVELOPED, EXCLUSIVE, RSA_SHA256, SHA256 } from './names';
import { SignedXml } from './xml-library';

/** A message that the browser delivers: it follows `url`, or posts `fields` to it. */
export interface OutgoingMessage {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>> | null;
}

interface Message {
  readonly name: 'SAMLRequest' | 'SAMLResponse';
  readonly xml: string;
}

interface Delivery {
  readonly to: SamlEndpoint;
  /** Null: the message is sent without a relay state. */
  readonly relayState: string | null;
  /** PEM of the RSA key that signs the message; null: unsigned. */
  readonly signingKey: string | null;
}

/** Builds a message for the receiver's binding, signed with RSA-SHA256 when there is a key. */
export const outgoing = (message: Message, delivery: Delivery): OutgoingMessage =>
  delivery.to.binding === 'post' ? posted(message, delivery) : redirected(message, delivery);

/**
 * Builds a message of the redirect binding, whose signature covers the query instead of the XML.
 */
function redirected({ name, xml }: Message, { to, relayState, signingKey }: Delivery): OutgoingMessage {
  const parts: readonly [string, string | null][] = [
    [name, deflateRawSync(xml).toString('base64')],
    ['RelayState', relayState],
    ['SigAlg', signingKey === null ? null : RSA_SHA256],
  ];
  const query = parts
    .flatMap(([key, value]) => (value === null ? [] : `${key}=${encodeURIComponent(value)}`))
    .join('&');
  const signature =
    signingKey === null
      ? ''
      : `&Signature=${encodeURIComponent(createSign('RSA-SHA256').update(query).sign(signingKey, 'base64'))}`;
  return { url: `${to.url}${to.url.includes('?') ? '&' : '?'}${query}${signature}`, fields: null };
}

function posted({ name, xml }: Message, { to, relayState, signingKey }: Delivery): OutgoingMessage {
  const sent = signingKey === null ? xml : signedXml(xml, signingKey);
  return {
    url: to.url,
    fields: {
      [name]: Buffer.from(sent).toString('base64'),
      ...(relayState === null ? {} : { RelayState: relayState }),
    },
  };
}

function signedXml(xml: string, privateKey: string): string {
  const signature = new SignedXml({
    privateKey,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
    getKeyInfoContent: () => null,
  });
  signature.addReference({ xpath: '/*', transforms: [ENVELOPED, EXCLUSIVE], digestAlgorithm: SHA256 });
  // The schema requires the signature directly after the issuer.
  signature.computeSignature(xml, {
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
  });
  return signature.getSignedXml();
}
