import type { SamlMetadataPart, SamlSettings } from '@gw/entities';
import { BooleanField, EnumField, ResponseField, TextField, TextListField } from '@gw/web';

const URL_MAX = 2_048;
const EXAMPLE = 'https://acme.okta.com/app/exk1/sso/saml';

/** Request fields of a SAML identity provider: its metadata, or single values. */
export class SamlFields {
  @TextField({
    optional: true,
    max: 500_000,
    description: 'XML metadata of the provider.',
    example: '<EntityDescriptor/>',
  })
  metadata_xml?: string;
  @TextField({
    optional: true,
    nullable: true,
    max: URL_MAX,
    description:
      'Address of the metadata. It is read when the connection is saved and every six hours. Null: it is no longer read, and its values stay.',
    example: EXAMPLE,
  })
  metadata_url?: string | null;
  @TextField({
    optional: true,
    max: 1_024,
    description: 'Entity id of the provider.',
    example: 'http://www.okta.com/exk1',
  })
  entity_id?: string;
  @TextField({ optional: true, max: URL_MAX, example: EXAMPLE }) sso_url?: string;
  @EnumField(['redirect', 'post'], { optional: true }) sso_binding?: 'redirect' | 'post';
  @TextField({
    optional: true,
    nullable: true,
    max: URL_MAX,
    description: 'Address for logout requests; null when the provider accepts none.',
    example: EXAMPLE,
  })
  slo_url?: string | null;
  @EnumField(['redirect', 'post'], { optional: true }) slo_binding?: 'redirect' | 'post';
  @TextListField({
    optional: true,
    maxItems: 10,
    itemMax: 20_000,
    description: 'PEM certificates that sign; several while keys are rotated.',
  })
  certificates?: string[];
  @BooleanField({ optional: true, description: 'True: Tollgate signs its requests.' })
  sign_authn_requests?: boolean;
  @BooleanField({
    optional: true,
    description: 'True: the provider may start logins. Such logins are open to login CSRF.',
  })
  allow_idp_initiated?: boolean;
  @BooleanField({
    optional: true,
    description: 'True: the provider must authenticate users again at each login.',
  })
  force_authn?: boolean;
  @BooleanField({ optional: true, description: 'True: unsigned responses may lack a Destination.' })
  lenient_destination?: boolean;
  @BooleanField({ optional: true, description: 'True: certificates are valid only within their dates.' })
  enforce_cert_dates?: boolean;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description: 'URI of the only accepted NameID format; null: emailAddress, persistent and unspecified.',
  })
  name_id_format?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description: 'Authentication context class to request.',
  })
  authn_context?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description: 'Attribute with the email address; null: the usual names.',
  })
  email_attribute?: string | null;
  @TextField({ optional: true, nullable: true, max: 255 }) given_name_attribute?: string | null;
  @TextField({ optional: true, nullable: true, max: 255 }) family_name_attribute?: string | null;
}

/** Metadata to read without saving it. */
export class MetadataPreviewDto {
  @TextField({
    optional: true,
    max: 500_000,
    description: 'Metadata in XML.',
    example: '<EntityDescriptor/>',
  })
  metadata_xml?: string;
  @TextField({ optional: true, max: URL_MAX, description: 'Address of the metadata.', example: EXAMPLE })
  metadata_url?: string;
}

export class SamlCertificateResponse {
  @ResponseField.text({ description: 'SHA-256 fingerprint.', example: 'AB:CD' })
  readonly fingerprint!: string;
  @ResponseField.text({ description: 'Certificate in PEM.', example: '-----BEGIN CERTIFICATE-----' })
  readonly pem!: string;
  @ResponseField.time() readonly valid_from!: string;
  @ResponseField.time() readonly valid_until!: string;
}

export class MetadataPreviewResponse {
  @ResponseField.text({ example: 'http://www.okta.com/exk1' }) readonly entity_id!: string;
  @ResponseField.text({ example: EXAMPLE }) readonly sso_url!: string;
  @ResponseField.oneOf(['redirect', 'post']) readonly sso_binding!: string;
  @ResponseField.text({ nullable: true, example: null }) readonly slo_url!: string | null;
  @ResponseField.list(() => SamlCertificateResponse)
  readonly certificates!: readonly SamlCertificateResponse[];
  @ResponseField.boolean() readonly sign_authn_requests!: boolean;
  @ResponseField.kind('saml-metadata') readonly object!: 'saml-metadata';
}

export class SamlResponse {
  @ResponseField.text({ example: EXAMPLE }) readonly sso_url!: string;
  @ResponseField.oneOf(['redirect', 'post']) readonly sso_binding!: string;
  @ResponseField.text({ nullable: true, example: null }) readonly slo_url!: string | null;
  @ResponseField.oneOf(['redirect', 'post']) readonly slo_binding!: string;
  @ResponseField.list(() => SamlCertificateResponse)
  readonly certificates!: readonly SamlCertificateResponse[];
  @ResponseField.text({ nullable: true, example: null }) readonly metadata_url!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Why the metadata was not applied when it was last read again; null when it was.',
    example: null,
  })
  readonly metadata_fault!: string | null;
  @ResponseField.texts({
    description:
      'Parts that were set explicitly, so that metadata does not change them: entity_id, sso, slo, certificates.',
    example: [],
  })
  readonly own_parts!: readonly string[];
  @ResponseField.boolean() readonly sign_authn_requests!: boolean;
  @ResponseField.boolean() readonly allow_idp_initiated!: boolean;
  @ResponseField.boolean() readonly force_authn!: boolean;
  @ResponseField.boolean() readonly lenient_destination!: boolean;
  @ResponseField.boolean() readonly enforce_cert_dates!: boolean;
  @ResponseField.text({ nullable: true, example: null }) readonly name_id_format!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly authn_context!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly email_attribute!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly given_name_attribute!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly family_name_attribute!: string | null;
}

/** Values to register at the identity provider. */
export class ServiceProviderResponse {
  @ResponseField.text({
    nullable: true,
    description: "Entity id and address of Tollgate's metadata; null for OpenID Connect.",
  })
  readonly entity_id!: string | null;
  @ResponseField.text({ nullable: true, description: 'Assertion consumer service; null for OpenID Connect.' })
  readonly acs_url!: string | null;
  @ResponseField.text({ nullable: true, description: 'Single logout service; null for OpenID Connect.' })
  readonly slo_url!: string | null;
  @ResponseField.text({
    nullable: true,
    description: "Tollgate's certificate in PEM; null for OpenID Connect.",
  })
  readonly certificate!: string | null;
  @ResponseField.text({ nullable: true, description: 'Redirect URI; null for SAML.' })
  readonly redirect_uri!: string | null;
  @ResponseField.text({ nullable: true, description: 'Back-channel logout address; null for SAML.' })
  readonly backchannel_logout_uri!: string | null;
  @ResponseField.text({
    nullable: true,
    description: "Address of Tollgate's public keys; null without private_key_jwt.",
  })
  readonly jwks_uri!: string | null;
  @ResponseField.kind('service-provider') readonly object!: 'service-provider';
}

export const toCertificates = (
  certificates: SamlSettings['certificates'],
): readonly SamlCertificateResponse[] =>
  certificates.map(({ pem, fingerprint, validFrom, validUntil }) => ({
    ...{ pem, fingerprint, valid_from: validFrom, valid_until: validUntil },
  }));

/** Names in responses of the parts of metadata. */
const SHOWN_PARTS = {
  entityId: 'entity_id',
  sso: 'sso',
  slo: 'slo',
  certificates: 'certificates',
} as const satisfies Record<SamlMetadataPart, string>;
const PARTS = Object.keys(SHOWN_PARTS) as SamlMetadataPart[];

export const toSaml = (saml: SamlSettings): SamlResponse => ({
  sso_url: saml.ssoUrl,
  sso_binding: saml.ssoBinding,
  slo_url: saml.sloUrl,
  slo_binding: saml.sloBinding ?? 'redirect',
  certificates: toCertificates(saml.certificates),
  metadata_url: saml.metadataUrl,
  metadata_fault: saml.metadataFault ?? null,
  own_parts: (saml.ownParts ?? PARTS).map((part) => SHOWN_PARTS[part]),
  sign_authn_requests: saml.signRequests,
  allow_idp_initiated: saml.allowIdpInitiated,
  force_authn: saml.forceAuthn,
  lenient_destination: saml.lenientDestination,
  enforce_cert_dates: saml.enforceCertificateDates,
  name_id_format: saml.nameIdFormat,
  authn_context: saml.authnContext,
  email_attribute: saml.emailAttribute,
  given_name_attribute: saml.givenNameAttribute,
  family_name_attribute: saml.familyNameAttribute,
});
