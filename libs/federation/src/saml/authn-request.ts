import type { SamlEndpoint } from './idp-metadata';
import { ASSERTION, POST_BINDING, PROTOCOL } from './names';
import { outgoing, type OutgoingMessage } from './outgoing';
import { escapeXml } from './write-xml';

/** Contents of an AuthnRequest. */
export interface AuthnRequest {
  readonly id: string;
  readonly issuedAt: Date;
  readonly sso: SamlEndpoint;
  readonly acsUrl: string;
  readonly entityId: string;
  readonly nameIdFormat: string | null;
  readonly forceAuthn: boolean;
  /** Requested authentication context class; null: any. */
  readonly authnContext: string | null;
  readonly relayState: string;
  /** PEM of the RSA key that signs the request; null: unsigned. */
  readonly signingKey: string | null;
}

/**
 * Builds the request for the identity provider's binding, signed with RSA-SHA256 when there is a
 * key.
 */
export function buildAuthnRequest(request: AuthnRequest): OutgoingMessage {
  const { sso, relayState, signingKey } = request;
  return outgoing({ name: 'SAMLRequest', xml: requestXml(request) }, { to: sso, relayState, signingKey });
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
