import {
  EMAIL_FORMAT,
  METADATA,
  PERSISTENT_FORMAT,
  POST_BINDING,
  PROTOCOL,
  REDIRECT_BINDING,
  SIGNATURE,
} from './names';
import { escapeXml } from './write-xml';

/** Contents of our own metadata for identity providers. */
export interface SpMetadata {
  readonly entityId: string;
  readonly acsUrl: string;
  /** URL that receives logout requests, and responses to ours. */
  readonly sloUrl: string;
  readonly signsRequests: boolean;
  /** PEM; more than one while keys are rotated. */
  readonly certificates: readonly string[];
}

/** Builds our metadata as a service provider. */
export function spMetadataXml({ entityId, acsUrl, sloUrl, signsRequests, certificates }: SpMetadata): string {
  const keys = certificates.flatMap((pem) => ['signing', 'encryption'].map((use) => keyDescriptor(use, pem)));
  const formats = [EMAIL_FORMAT, PERSISTENT_FORMAT].map(
    (each) => `<md:NameIDFormat>${each}</md:NameIDFormat>`,
  );
  const logouts = [REDIRECT_BINDING, POST_BINDING].map(
    (each) => `<md:SingleLogoutService Binding="${each}" Location="${escapeXml(sloUrl)}"/>`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityId)}">` +
    `<md:SPSSODescriptor AuthnRequestsSigned="${String(signsRequests)}" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">` +
    `${keys.join('')}${logouts.join('')}${formats.join('')}` +
    `<md:AssertionConsumerService index="0" isDefault="true" Binding="${POST_BINDING}" Location="${escapeXml(acsUrl)}"/>` +
    `</md:SPSSODescriptor></md:EntityDescriptor>`
  );
}

function keyDescriptor(use: string, pem: string): string {
  const base64 = pem.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
  return (
    `<md:KeyDescriptor use="${use}"><ds:KeyInfo xmlns:ds="${SIGNATURE}"><ds:X509Data>` +
    `<ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  );
}
