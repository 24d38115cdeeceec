import { randomUUID } from 'node:crypto';
import type { SamlEndpoint } from './idp-metadata';
import { ASSERTION, PROTOCOL } from './names';
import { outgoing, type OutgoingMessage } from './outgoing';
import { escapeXml } from './write-xml';

/** Members that logout requests and responses share. */
export interface LogoutMessage {
  /** Our entity id. */
  readonly entityId: string;
  readonly to: SamlEndpoint;
  readonly issuedAt: Date;
  /** PEM of our key. */
  readonly signingKey: string;
}

/** Our request to end a session at the provider. */
export interface LogoutRequest extends LogoutMessage {
  readonly subject: string;
  /** URI of the format of the subject; null: omitted. */
  readonly nameIdFormat: string | null;
  readonly sessionIndex: string | null;
}

/** Our response to a logout request of the provider. */
export interface LogoutResponse extends LogoutMessage {
  readonly requestId: string;
  /** Relay state that the provider sent with its request; null for none. */
  readonly relayState: string | null;
}

/** Builds a signed LogoutRequest. */
export function buildLogoutRequest(request: LogoutRequest): OutgoingMessage {
  const { nameIdFormat, sessionIndex } = request;
  const format = nameIdFormat === null ? '' : ` Format="${escapeXml(nameIdFormat)}"`;
  const index =
    sessionIndex === null ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`;
  const content = `<saml:NameID${format}>${escapeXml(request.subject)}</saml:NameID>${index}`;
  const xml = messageXml('LogoutRequest', request, { attributes: '', content });
  return outgoing({ name: 'SAMLRequest', xml }, { ...request, relayState: null });
}

/** Builds a signed LogoutResponse with the status Success. */
export function buildLogoutResponse(response: LogoutResponse): OutgoingMessage {
  const xml = messageXml('LogoutResponse', response, {
    attributes: ` InResponseTo="${escapeXml(response.requestId)}"`,
    content:
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
  });
  return outgoing({ name: 'SAMLResponse', xml }, response);
}

const messageXml = (
  element: string,
  { entityId, to, issuedAt }: LogoutMessage,
  { attributes, content }: { readonly attributes: string; readonly content: string },
): string =>
  `<samlp:${element} xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="_${randomUUID()}" Version="2.0" ` +
  `IssueInstant="${issuedAt.toISOString()}" Destination="${escapeXml(to.url)}"${attributes}>` +
  `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>${content}</samlp:${element}>`;
