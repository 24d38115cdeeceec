import { isSecureUrl, isVisibleAscii } from '@gw/kernel';
import { readCertificate, type SamlCertificate } from './certificates';
import { METADATA, POST_BINDING, REDIRECT_BINDING, SIGNATURE } from './names';
import { allElements, childrenOf, readXml, XmlFault, type XmlElement } from './xml';

const BYTES_MAX = 1_048_576;
const CERTIFICATES_MAX = 10;
const PROTOCOL_2 = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** URL and binding of an endpoint. */
export interface SamlEndpoint {
  readonly url: string;
  readonly binding: 'redirect' | 'post';
}

/** Endpoint of logout requests, with the URL of logout responses when that is another one. */
export interface SamlLogoutEndpoint extends SamlEndpoint {
  readonly responseUrl: string | null;
}

/** Contents of the metadata of an identity provider. */
export interface IdpMetadata {
  readonly entityId: string;
  readonly sso: SamlEndpoint;
  readonly slo: SamlLogoutEndpoint | null;
  readonly certificates: readonly SamlCertificate[];
  readonly wantsSignedRequests: boolean;
}

/** Returns the endpoints of a provider as columns of a connection. */
export const endpointSettings = ({ sso, slo }: IdpMetadata): EndpointSettings => ({
  sso: { ssoUrl: sso.url, ssoBinding: sso.binding },
  slo: {
    ...{ sloUrl: slo?.url ?? null, sloBinding: slo?.binding ?? 'redirect' },
    sloResponseUrl: slo?.responseUrl ?? null,
  },
});

interface EndpointSettings {
  readonly sso: { readonly ssoUrl: string; readonly ssoBinding: SamlEndpoint['binding'] };
  readonly slo: {
    readonly sloUrl: string | null;
    readonly sloBinding: SamlEndpoint['binding'];
    readonly sloResponseUrl: string | null;
  };
}

/** Thrown when metadata cannot be used; the message names what to change. */
export class SamlMetadataFault extends Error {
  override readonly name = 'SamlMetadataFault';
}

/**
 * Reads the metadata of one identity provider with the same XML reader as responses. Throws
 * `SamlMetadataFault`.
 */
export function readIdpMetadata(xml: string): IdpMetadata {
  if (Buffer.byteLength(xml) > BYTES_MAX) throw new SamlMetadataFault('the metadata is larger than 1 MB');
  const entity = entityOf(rootOf(xml));
  const entityId = entity.attributes.get('entityID') ?? '';
  if (entityId === '' || entityId.length > 1_024) {
    throw new SamlMetadataFault('entityID must be a text of 1 to 1024 characters');
  }
  const provider = providersOf(entity)[0];
  if (provider === undefined)
    throw new SamlMetadataFault('the metadata has no identity provider of SAML 2.0');
  return {
    entityId,
    sso: ssoOf(provider),
    slo: preferred(provider, 'SingleLogoutService'),
    certificates: certificatesOf(provider),
    wantsSignedRequests: /^(?:true|1)$/.test(provider.attributes.get('WantAuthnRequestsSigned') ?? ''),
  };
}

/** Returns why browsers must not be redirected to a URL; null when they may. */
export function endpointFault(url: string): string | null {
  if (url.length > 2_048 || !URL.canParse(url)) return 'must be a URL';
  // Others cannot be in the header of a redirect.
  if (!isVisibleAscii(url)) return 'must have only printable ASCII characters, without spaces';
  const { username, hash, href } = new URL(url);
  if (!isSecureUrl(href)) return 'must be https';
  return username === '' && hash === '' ? null : 'must have no user and no fragment';
}

function rootOf(xml: string): XmlElement {
  try {
    return readXml(xml);
  } catch (error) {
    if (error instanceof XmlFault) throw new SamlMetadataFault(`the XML cannot be read: ${error.message}`);
    throw error;
  }
}

function entityOf(root: XmlElement): XmlElement {
  const entities = [...allElements(root)].filter(
    ({ local, namespace }) => local === 'EntityDescriptor' && namespace === METADATA,
  );
  const providers = entities.filter((entity) => providersOf(entity).length > 0);
  const [entity, more] = providers.length > 0 ? providers : entities;
  if (entity === undefined) throw new SamlMetadataFault('the metadata has no EntityDescriptor');
  if (more !== undefined)
    throw new SamlMetadataFault('the metadata has several identity providers; send that of one');
  return entity;
}

const providersOf = (entity: XmlElement): readonly XmlElement[] =>
  childrenOf(entity, METADATA, 'IDPSSODescriptor').filter(({ attributes }) =>
    (attributes.get('protocolSupportEnumeration') ?? PROTOCOL_2).split(/\s+/).includes(PROTOCOL_2),
  );

function ssoOf(provider: XmlElement): SamlEndpoint {
  const sso = preferred(provider, 'SingleSignOnService');
  if (sso !== null) return { url: sso.url, binding: sso.binding };
  throw new SamlMetadataFault('the metadata has no SingleSignOnService with HTTP-Redirect or HTTP-POST');
}

/**
 * Returns the endpoint with the redirect binding, else that with the POST binding; null without
 * either.
 */
const preferred = (provider: XmlElement, local: string): SamlLogoutEndpoint | null =>
  endpointOf(provider, local, 'redirect') ?? endpointOf(provider, local, 'post');

function endpointOf(
  provider: XmlElement,
  local: string,
  binding: SamlEndpoint['binding'],
): SamlLogoutEndpoint | null {
  const name = binding === 'redirect' ? REDIRECT_BINDING : POST_BINDING;
  const found = childrenOf(provider, METADATA, local).find(
    ({ attributes }) => attributes.get('Binding') === name,
  );
  const url = found?.attributes.get('Location');
  if (url === undefined) return null;
  const responseUrl = found?.attributes.get('ResponseLocation') ?? null;
  for (const each of [url, responseUrl]) {
    const fault = each === null ? null : endpointFault(each);
    if (fault !== null) throw new SamlMetadataFault(`the location of ${local} ${fault}`);
  }
  return { url, binding, responseUrl };
}

function certificatesOf(provider: XmlElement): readonly SamlCertificate[] {
  const texts = childrenOf(provider, METADATA, 'KeyDescriptor')
    .filter(({ attributes }) => attributes.get('use') !== 'encryption')
    .flatMap((key) => [...allElements(key)])
    .filter(({ local, namespace }) => local === 'X509Certificate' && namespace === SIGNATURE)
    .map(({ text }) => text.replace(/\s/g, ''));
  const different = [...new Set(texts)];
  if (different.length === 0) throw new SamlMetadataFault('the metadata has no signing certificate');
  if (different.length > CERTIFICATES_MAX) {
    throw new SamlMetadataFault(`the metadata has more than ${String(CERTIFICATES_MAX)} certificates`);
  }
  return different.map(certificateOf);
}

function certificateOf(text: string): SamlCertificate {
  try {
    return readCertificate(text);
  } catch (error) {
    throw new SamlMetadataFault(`a signing certificate cannot be used: ${(error as Error).message}`);
  }
}
