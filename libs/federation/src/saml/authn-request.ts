import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { SamlEndpoint } from './idp-metadata';
import { ASSERTION, ENVELOPED, EXCLUSIVE, POST_BINDING, PROTOCOL, RSA_SHA256, SHA256 } from './names';
import { escapeXml } from './write-xml';
import { SignedXml } from './xml-library';

/** What an AuthnRequest says. */
export interface AuthnRequest {
  readonly id: string;
  readonly issuedAt: Date;
  readonly sso: SamlEndpoint;
  readonly acsUrl: string;
  readonly entityId: string;
  readonly nameIdFormat: string | null;
  readonly forceAuthn: boolean;
  /** Class of the authentication that is requested; null: any. */
  readonly authnContext: string | null;
  readonly relayState: string;
  /** PEM of the RSA key that signs the request; null: unsigned. */
  readonly signingKey: string | null;
}

/** How the browser brings the request: it follows `url`, or posts `fields` there. */
export interface OutgoingRequest {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>> | null;
}

/** The request for the binding of the identity provider, signed with RSA-SHA256 when there is a key. */
export function buildAuthnRequest(request: AuthnRequest): OutgoingRequest {
  const xml = requestXml(request);
  return request.sso.binding === 'post' ? posted(xml, request) : redirected(xml, request);
}

function requestXml(request: AuthnRequest): string {
  const { nameIdFormat, authnContext } = request;
  const attributes = [
    ['xmlns:samlp', PROTOCOL],
    ['xmlns:saml', ASSERTION],
    ['ID', request.id],
    ['Version', '2.0'],
    ['IssueInstant', request.issuedAt.toISOString()],
    ['Destination', request.sso.url],
    ['ProtocolBinding', POST_BINDING],
    ['AssertionConsumerServiceURL', request.acsUrl],
    ...(request.forceAuthn ? [['ForceAuthn', 'true']] : []),
  ].map(([name = '', value = '']) => ` ${name}="${escapeXml(value)}"`);
  const format = nameIdFormat === null ? '' : ` Format="${escapeXml(nameIdFormat)}"`;
  const context =
    authnContext === null
      ? ''
      : `<samlp:RequestedAuthnContext Comparison="exact"><saml:AuthnContextClassRef>${escapeXml(authnContext)}</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>`;
  return (
    `<samlp:AuthnRequest${attributes.join('')}><saml:Issuer>${escapeXml(request.entityId)}</saml:Issuer>` +
    `<samlp:NameIDPolicy${format} AllowCreate="true"/>${context}</samlp:AuthnRequest>`
  );
}

/** The signature is over the query as it is sent, not inside of the XML. */
function redirected(xml: string, { sso, relayState, signingKey }: AuthnRequest): OutgoingRequest {
  const parts: [string, string][] = [
    ['SAMLRequest', deflateRawSync(xml).toString('base64')],
    ['RelayState', relayState],
    ...(signingKey === null ? [] : [['SigAlg', RSA_SHA256] as [string, string]]),
  ];
  const query = parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const signature =
    signingKey === null
      ? ''
      : `&Signature=${encodeURIComponent(createSign('RSA-SHA256').update(query).sign(signingKey, 'base64'))}`;
  return { url: `${sso.url}${sso.url.includes('?') ? '&' : '?'}${query}${signature}`, fields: null };
}

function posted(xml: string, { sso, relayState, signingKey }: AuthnRequest): OutgoingRequest {
  const sent = signingKey === null ? xml : signedXml(xml, signingKey);
  return {
    url: sso.url,
    fields: { SAMLRequest: Buffer.from(sent).toString('base64'), RelayState: relayState },
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
  // The schema has the signature right after the issuer.
  signature.computeSignature(xml, {
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
  });
  return signature.getSignedXml();
}
