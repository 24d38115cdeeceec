import type { SsoConnectionEntity } from '@gw/entities';
import {
  BooleanField,
  EnumField,
  IntegerField,
  NameField,
  NestedField,
  NestedListField,
  omitOf,
  ObjectField,
  pageOf,
  partialOf,
  pickOf,
  ResponseField,
  RowResponse,
  TextField,
  TextListField,
  viewOf,
} from '@gw/web';

import {
  DefaultWorkspaceDto,
  DefaultWorkspaceResponse,
  GroupRuleDto,
  GroupRuleResponse,
} from './group-rules.dto';
import { SamlFields, SamlResponse, toSaml } from './saml.dto';

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
type Method = (typeof METHODS)[number];
const PROMPTS = ['login', 'select_account', 'consent'] as const;
type Prompt = (typeof PROMPTS)[number];

export class SsoConnectionFields {
  @NameField({ example: 'Okta' }) name!: string;
  @EnumField(['oidc', 'saml'], { optional: true, description: 'Default: oidc. Cannot be changed.' })
  type?: 'oidc' | 'saml';
  @NestedField(() => SamlFields, {
    optional: true,
    description: 'Settings of a connection of type saml, which requires them.',
  })
  saml?: SamlFields;
  @TextField({
    optional: true,
    max: 2_048,
    description: 'Issuer as the provider publishes it. Only for type oidc, which requires it and client_id.',
    example: 'https://acme.okta.com',
  })
  issuer?: string;
  @TextField({ optional: true, max: 512, example: '0oa1b2c3' }) client_id?: string;
  @TextField({ optional: true, nullable: true, max: 2_048, example: 'secret' }) client_secret?: string | null;
  @ObjectField({
    optional: true,
    nullable: true,
    description: 'A set of private keys for private_key_jwt; the first one signs.',
  })
  jwks?: { keys?: unknown } | null;
  @EnumField(METHODS, {
    optional: true,
    nullable: true,
    description: 'Default: private_key_jwt with jwks, else client_secret_basic.',
  })
  token_endpoint_auth_method?: Method | null;
  @TextListField({
    optional: true,
    maxItems: 20,
    description: 'Scopes in addition to openid, profile and email.',
  })
  scopes?: string[];
  @TextListField({
    optional: true,
    maxItems: 100,
    description: 'Verified domains of the organisation whose addresses log in with this connection.',
    example: ['example.org'],
  })
  domains?: string[];
  @BooleanField({
    optional: true,
    description:
      'True: addresses count as proven when the provider does not report whether they are verified.',
  })
  trust_email?: boolean;
  @BooleanField({
    optional: true,
    description:
      'True: owners may log in with this connection. Only owners can set it (their default: true); a change of the provider by another user resets it.',
  })
  admits_owners?: boolean;
  @BooleanField({
    optional: true,
    description:
      'True: addresses of the domains must log in with this connection and not by password, except for owners.',
  })
  enforced?: boolean;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    max: 31_536_000,
    description: 'Maximum time in seconds since the user last authenticated at the provider.',
  })
  max_age?: number | null;
  @IntegerField({
    optional: true,
    nullable: true,
    min: 900,
    max: 31_536_000,
    description:
      'Maximum lifetime of a session in seconds; null: the lifetime that the organisation has set.',
  })
  max_session_ttl?: number | null;
  @TextListField({
    optional: true,
    maxItems: 10,
    itemMax: 255,
    description:
      'Accepted authentication context classes (claim acr); a login must have one of them. Only for type oidc.',
    example: ['phr'],
  })
  acr_values?: string[];
  @EnumField(PROMPTS, {
    optional: true,
    nullable: true,
    description: 'What the provider must ask users for at each login. Only for type oidc.',
  })
  prompt?: Prompt | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description:
      'Claim with the email address. Default: email. An address from any other claim is proven only with trust_email. Only for type oidc.',
    example: 'upn',
  })
  email_claim?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description: 'Claim with the first name. Default: given_name. Only for type oidc.',
  })
  given_name_claim?: string | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 255,
    description: 'Claim with the last name. Default: family_name. Only for type oidc.',
  })
  family_name_claim?: string | null;
  @BooleanField({ optional: true, description: 'True (default): a first login makes the user a member.' })
  auto_provision?: boolean;
  @BooleanField({
    optional: true,
    description:
      'True: only invited users with an address of a verified domain may log in for the first time.',
  })
  disable_auto_provision_user?: boolean;
  @NestedListField(() => DefaultWorkspaceDto, {
    optional: true,
    maxItems: 50,
    description: 'Workspaces for users whom a first login makes members.',
  })
  default_workspaces?: DefaultWorkspaceDto[];
  @TextField({
    optional: true,
    min: 1,
    max: 255,
    description: 'Claim with the groups of the user.',
    example: 'groups',
  })
  groups_claim?: string;
  @NestedListField(() => GroupRuleDto, {
    optional: true,
    maxItems: 100,
    description: 'Roles that groups give at each login. All rules that match apply; the highest role counts.',
  })
  group_rules?: GroupRuleDto[];
  @BooleanField({
    optional: true,
    description: 'True: roles that only a group has given end at the first login without the group.',
  })
  remove_mapped?: boolean;
  @EnumField(['active', 'disabled'], { optional: true }) status?: 'active' | 'disabled';
}

/** Fields that are stored as they are sent. */
export class PlainSsoFields extends pickOf(
  SsoConnectionFields,
  'name',
  'scopes',
  'trust_email',
  'enforced',
  'groups_claim',
  'remove_mapped',
  'max_age',
  'max_session_ttl',
  'acr_values',
  'prompt',
  'email_claim',
  'given_name_claim',
  'family_name_claim',
  'auto_provision',
  'disable_auto_provision_user',
  'status',
) {}

export class UpdateSsoConnectionDto extends partialOf(omitOf(SsoConnectionFields, 'type')) {}

export class ListSsoConnectionsQuery extends pageOf({ size: 100 }) {}

export class SsoConnectionResponse extends RowResponse {
  @ResponseField.kind('sso-connection') readonly object!: 'sso-connection';
  @ResponseField.uuid({ description: 'Value for sso_client_id in a login.' }) readonly id!: string;
  @ResponseField.text({ example: 'Okta' }) readonly name!: string;
  @ResponseField.oneOf(['oidc', 'saml']) readonly type!: 'oidc' | 'saml';
  @ResponseField.one(() => SamlResponse, { nullable: true }) readonly saml!: SamlResponse | null;
  @ResponseField.text({
    description: 'For SAML, the entity id of the provider.',
    example: 'https://acme.okta.com',
  })
  readonly issuer!: string;
  @ResponseField.text({ example: '0oa1b2c3' }) readonly client_id!: string;
  @ResponseField.boolean({ description: 'Secrets are never shown.' }) readonly has_client_secret!: boolean;
  @ResponseField.texts({ description: 'Ids of the private keys.', example: [] })
  readonly key_ids!: readonly string[];
  @ResponseField.oneOf(METHODS) readonly token_endpoint_auth_method!: Method;
  @ResponseField.texts({ example: ['groups'] }) readonly scopes!: readonly string[];
  @ResponseField.texts({ example: ['example.org'] }) readonly domains!: readonly string[];
  @ResponseField.boolean() readonly trust_email!: boolean;
  @ResponseField.boolean() readonly admits_owners!: boolean;
  @ResponseField.boolean() readonly enforced!: boolean;
  @ResponseField.integer({ nullable: true, example: null }) readonly max_age!: number | null;
  @ResponseField.integer({ nullable: true, example: null }) readonly max_session_ttl!: number | null;
  @ResponseField.texts({ example: [] }) readonly acr_values!: readonly string[];
  @ResponseField.oneOf(PROMPTS, { nullable: true }) readonly prompt!: Prompt | null;
  @ResponseField.text({ nullable: true, example: null }) readonly email_claim!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly given_name_claim!: string | null;
  @ResponseField.text({ nullable: true, example: null }) readonly family_name_claim!: string | null;
  @ResponseField.boolean() readonly auto_provision!: boolean;
  @ResponseField.boolean() readonly disable_auto_provision_user!: boolean;
  @ResponseField.list(() => DefaultWorkspaceResponse)
  readonly default_workspaces!: readonly DefaultWorkspaceResponse[];
  @ResponseField.text({ example: 'groups' }) readonly groups_claim!: string;
  @ResponseField.list(() => GroupRuleResponse) readonly group_rules!: readonly GroupRuleResponse[];
  @ResponseField.boolean() readonly remove_mapped!: boolean;
  @ResponseField.text({
    description: 'Redirect URI to register at the provider.',
    example: 'https://gateway.example.com/v2/auth/callback',
  })
  readonly redirect_uri!: string;
  @ResponseField.text({
    nullable: true,
    description: "Address at which the provider reads Tollgate's public keys; null without private_key_jwt.",
    example: null,
  })
  readonly jwks_uri!: string | null;
  @ResponseField.oneOf(['active', 'disabled']) readonly status!: string;
}

export interface ShownSecrets {
  readonly hasClientSecret: boolean;
  readonly keyIds: readonly string[];
  readonly redirectUri: string;
  readonly jwksUri: string | null;
}

export const toSsoConnection = (row: SsoConnectionEntity, secrets: ShownSecrets): SsoConnectionResponse =>
  viewOf(SsoConnectionResponse, row, {
    object: 'sso-connection',
    type: row.type,
    saml: row.saml === null ? null : toSaml(row.saml),
    has_client_secret: secrets.hasClientSecret,
    key_ids: secrets.keyIds,
    redirect_uri: secrets.redirectUri,
    jwks_uri: secrets.jwksUri,
    scopes: row.scopes,
    acr_values: row.acrValues,
    domains: row.domains,
    group_rules: row.groupRules.map(({ workspaceId, match, value, role }) => ({
      ...{ match, value, role, workspace: workspaceId },
    })),
    default_workspaces: row.defaultWorkspaces.map(({ id, role }) => ({ workspace: id, role })),
  });
