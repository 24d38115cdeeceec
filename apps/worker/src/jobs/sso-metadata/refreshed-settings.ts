import type { SamlMetadataPart, SamlSettings } from '@gw/entities';
import { endpointSettings, type IdpMetadata } from '@gw/federation';

/** Settings that were saved before there were parts could have any of them by hand. */
const PARTS: readonly SamlMetadataPart[] = ['entityId', 'sso', 'slo', 'certificates'];

/** Saved fields of a connection. */
export interface SavedConnection {
  readonly issuer: string;
  readonly saml: SamlSettings;
}

/**
 * The settings after metadata was read again, without what administrators have set by themselves. Metadata of another provider, or with an
 * address on a host that the connection does not have yet, changes nothing: `metadataFault` says why.
 */
export function refreshedSettings(
  { issuer, saml }: SavedConnection,
  metadata: IdpMetadata,
  now: Date,
): SamlSettings {
  const own = saml.ownParts ?? PARTS;
  if (!own.includes('entityId') && metadata.entityId !== issuer) {
    return { ...saml, metadataFault: `The entityID is ${metadata.entityId.slice(0, 200)} now.` };
  }
  const given = { ...endpointSettings(metadata), certificates: certificatesOf(metadata, now) };
  const applied = (['sso', 'slo', 'certificates'] as const).filter((part) => !own.includes(part));
  const next = applied.reduce<SamlSettings>((settings, part) => ({ ...settings, ...given[part] }), saml);
  const known = hostsOf(saml);
  const foreign = hostsOf(next).find((host) => !known.includes(host));
  if (foreign !== undefined) return { ...saml, metadataFault: `An address is on the host ${foreign} now.` };
  return { ...next, metadataFault: null };
}

const hostsOf = ({ ssoUrl, sloUrl, sloResponseUrl }: SamlSettings): readonly string[] =>
  [ssoUrl, sloUrl, sloResponseUrl].flatMap((url) => (url == null ? [] : new URL(url).host));

/** Without certificates that have expired, as long as there is another. */
function certificatesOf({ certificates }: IdpMetadata, now: Date): Partial<SamlSettings> {
  const live = certificates.filter(({ validUntil }) => new Date(validUntil) > now);
  return { certificates: live.length > 0 ? live : certificates };
}
