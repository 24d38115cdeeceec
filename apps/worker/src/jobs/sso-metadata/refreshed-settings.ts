import type { SamlMetadataPart, SamlSettings } from '@gw/entities';
import { endpointSettings, type IdpMetadata } from '@gw/federation';

/**
 * All parts. Settings without `ownParts` are older than that field, so an administrator may have
 * set any part.
 */
const ALL_PARTS: readonly SamlMetadataPart[] = ['entityId', 'sso', 'slo', 'certificates'];

/** Saved fields of a connection. */
export interface SavedConnection {
  readonly issuer: string;
  readonly saml: SamlSettings;
}

/**
 * Returns the settings after the metadata was read again. Parts that an administrator set by hand
 * stay as they are. Metadata of another provider, or with an address on a host that the connection
 * does not use yet, changes nothing but `metadataFault`, which gives the reason.
 */
export function refreshedSettings(
  { issuer, saml }: SavedConnection,
  metadata: IdpMetadata,
  now: Date,
): SamlSettings {
  const manualParts = saml.ownParts ?? ALL_PARTS;
  if (!manualParts.includes('entityId') && metadata.entityId !== issuer) {
    return { ...saml, metadataFault: `The entityID is ${metadata.entityId.slice(0, 200)} now.` };
  }
  const published = { ...endpointSettings(metadata), certificates: certificatesOf(metadata, now) };
  const applied = (['sso', 'slo', 'certificates'] as const).filter((part) => !manualParts.includes(part));
  const next = applied.reduce<SamlSettings>((settings, part) => ({ ...settings, ...published[part] }), saml);
  const knownHosts = hostsOf(saml);
  const unknownHost = hostsOf(next).find((host) => !knownHosts.includes(host));
  if (unknownHost !== undefined)
    return { ...saml, metadataFault: `An address is on the host ${unknownHost} now.` };
  return { ...next, metadataFault: null };
}

const hostsOf = ({ ssoUrl, sloUrl, sloResponseUrl }: SamlSettings): readonly string[] =>
  [ssoUrl, sloUrl, sloResponseUrl].flatMap((url) => (url == null ? [] : new URL(url).host));

/** Returns the certificates that have not expired; all of them if every one has expired. */
function certificatesOf({ certificates }: IdpMetadata, now: Date): Partial<SamlSettings> {
  const live = certificates.filter(({ validUntil }) => new Date(validUntil) > now);
  return { certificates: live.length > 0 ? live : certificates };
}
