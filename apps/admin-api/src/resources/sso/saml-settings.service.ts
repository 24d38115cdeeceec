import type { SamlMetadataPart, SamlSettings } from '@gw/entities';
import {
  endpointFault,
  endpointSettings,
  fetchIdpMetadata,
  readCertificate,
  readIdpMetadata,
  SamlMetadataFault,
  type IdpMetadata,
  type SamlCertificate,
} from '@gw/federation';
import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { SamlFields } from './saml.dto';

const DEFAULTS = {
  ...{ sloUrl: null, metadataUrl: null, nameIdFormat: null, authnContext: null },
  ...{ emailAttribute: null, givenNameAttribute: null, familyNameAttribute: null },
  ...{ signRequests: false, allowIdpInitiated: false, forceAuthn: false },
  ...{ lenientDestination: false, enforceCertificateDates: false },
} as const;
/** Members that are stored as they are sent, by their stored names. */
const PLAIN = {
  sso_binding: 'ssoBinding',
  slo_binding: 'sloBinding',
  sign_authn_requests: 'signRequests',
  allow_idp_initiated: 'allowIdpInitiated',
  force_authn: 'forceAuthn',
  lenient_destination: 'lenientDestination',
  enforce_cert_dates: 'enforceCertificateDates',
  name_id_format: 'nameIdFormat',
  authn_context: 'authnContext',
  email_attribute: 'emailAttribute',
  given_name_attribute: 'givenNameAttribute',
  family_name_attribute: 'familyNameAttribute',
} as const satisfies Partial<Record<keyof SamlFields, keyof SamlSettings>>;

const PARTS = {
  entityId: ['entity_id'],
  sso: ['sso_url', 'sso_binding'],
  slo: ['slo_url', 'slo_binding'],
  certificates: ['certificates'],
} as const satisfies Record<SamlMetadataPart, readonly (keyof SamlFields)[]>;

/** Settings without Tollgate's own certificate, and the entity id of the provider. */
export interface ReadSettings {
  readonly entityId: string;
  readonly settings: Omit<SamlSettings, 'ownCertificate'>;
}

/** Reads the settings of SAML identity providers that administrators send. */
@Injectable()
export class SamlSettingsReader {
  constructor(
    private readonly http: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /**
   * Returns the metadata that the request contains or that is at the address; null when there is
   * neither. Throws `invalid_request` naming the field.
   */
  async metadata(
    { metadata_xml: xml, metadata_url: url }: Pick<SamlFields, 'metadata_xml' | 'metadata_url'>,
    field = 'saml.',
  ): Promise<IdpMetadata | null> {
    if (xml !== undefined && url != null) {
      throw invalid(`${field}metadata_url`, 'send metadata_xml or metadata_url, not both');
    }
    if (xml !== undefined) return readAs(`${field}metadata_xml`, () => readIdpMetadata(xml));
    if (url == null) return null;
    const verdict = this.addresses.checkUrl(url);
    if (!verdict.ok) throw invalid(`${field}metadata_url`, verdict.rule);
    return readAs(`${field}metadata_url`, () => fetchIdpMetadata(url, this.http));
  }

  /**
   * Returns the settings after a change. Single values take precedence over the metadata, and both
   * over the previous settings. Throws `invalid_request`.
   */
  settings(input: SamlFields, metadata: IdpMetadata | null, before: ReadSettings | null): ReadSettings {
    const read: Partial<SamlSettings> =
      metadata === null ? {} : { ...ofMetadata(metadata), metadataUrl: input.metadata_url ?? null };
    // The values from the metadata stay when it is no longer read.
    const end = input.metadata_url === null ? { metadataUrl: null, metadataFault: null } : {};
    const merged = { ...DEFAULTS, ...before?.settings, ...read, ...plain(input), ...this.addressesIn(input) };
    const certificates = certificatesIn(input.certificates) ?? merged.certificates;
    return {
      entityId: needed('entity_id', input.entity_id ?? metadata?.entityId ?? before?.entityId),
      settings: {
        ...merged,
        ssoUrl: needed('sso_url', merged.ssoUrl),
        ssoBinding: merged.ssoBinding ?? 'redirect',
        certificates: needed('certificates', certificates),
        ...provenance(partsIn(input), metadata === null ? before : null),
        ...end,
      },
    };
  }

  private addressesIn({ sso_url: sso, slo_url: slo }: SamlFields): Partial<SamlSettings> {
    if (sso !== undefined) assertEndpoint(sso, 'saml.sso_url');
    if (slo != null) assertEndpoint(slo, 'saml.slo_url');
    return {
      ...(sso === undefined ? {} : { ssoUrl: sso }),
      ...(slo === undefined ? {} : { sloUrl: slo, sloResponseUrl: null }),
    };
  }
}

async function readAs(field: string, read: () => IdpMetadata | Promise<IdpMetadata>): Promise<IdpMetadata> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SamlMetadataFault) throw invalid(field, error.message);
    throw error;
  }
}

const ofMetadata = (metadata: IdpMetadata): Partial<SamlSettings> => ({
  ...endpointSettings(metadata).sso,
  ...endpointSettings(metadata).slo,
  certificates: metadata.certificates,
  signRequests: metadata.wantsSignedRequests,
});

/**
 * Returns the parts that were set explicitly and the last fault of the metadata. `before` contains
 * the settings if the metadata is the same as before; null otherwise. When these settings do not
 * say which parts were set explicitly, `ownParts` stays absent, and all parts count as explicit.
 */
function provenance(
  given: readonly SamlMetadataPart[],
  before: ReadSettings | null,
): Pick<SamlSettings, 'ownParts' | 'metadataFault'> {
  const { ownParts: earlier, metadataFault = null } = before?.settings ?? { ownParts: [] };
  return earlier === undefined
    ? { metadataFault }
    : { ownParts: [...new Set([...earlier, ...given])], metadataFault };
}

/** Returns the parts of the metadata that the request sets explicitly. */
const partsIn = (input: SamlFields): readonly SamlMetadataPart[] =>
  Object.entries(PARTS).flatMap(([part, names]) =>
    names.some((name) => input[name] !== undefined) ? (part as SamlMetadataPart) : [],
  );

const plain = (input: SamlFields): Partial<SamlSettings> =>
  Object.fromEntries(
    Object.entries(PLAIN).flatMap(([name, column]) => {
      const value = input[name as keyof typeof PLAIN];
      return value === undefined ? [] : [[column, value]];
    }),
  );

function certificatesIn(texts: readonly string[] | undefined): readonly SamlCertificate[] | undefined {
  return texts?.map((text, index) => {
    try {
      return readCertificate(text);
    } catch (error) {
      throw invalid(`saml.certificates.${String(index)}`, (error as Error).message);
    }
  });
}

function assertEndpoint(url: string, field: string): void {
  const fault = endpointFault(url);
  if (fault !== null) throw invalid(field, `${field} ${fault}`);
}

function needed<T extends string | readonly unknown[]>(name: string, value: T | undefined): T {
  if (value !== undefined && value.length > 0) return value;
  throw invalid(`saml.${name}`, `saml.${name} is required, by itself or in the metadata of the provider`);
}
