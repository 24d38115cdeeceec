import { CLAIM_OPERATORS, type ClaimCondition } from '@gw/contracts';
import type { TrustEntity } from '@gw/entities';
import { SIGNING_ALGORITHMS } from '@gw/kernel';
import { TOKEN_CHECKS, TRUST_PRESETS } from '@gw/trusts';
import {
  BooleanField,
  EnumField,
  EnumListField,
  IntegerField,
  MapField,
  NameField,
  NestedListField,
  ObjectField,
  pageOf,
  partialOf,
  pickOf,
  ReferenceField,
  ResponseField,
  RowResponse,
  TextField,
  TextListField,
  TextOrListField,
  viewOf,
} from '@gw/web';

export const DAY_SECONDS = 86_400;
const KINDS = ['jwt', 'workload', 'id_jag'] as const;
const PRESETS = TRUST_PRESETS.map(({ id }) => id);

export class ClaimConditionDto {
  @TextField({ max: 256, description: 'JSON pointer to the claim.', example: '/sub' }) claim!: string;
  @EnumField(CLAIM_OPERATORS, { example: 'equals' }) op!: ClaimCondition['op'];
  @TextOrListField({
    description: 'A list for in, a string that ends in * for glob-end, else a string.',
    example: 'system:serviceaccount:team-a:runner',
  })
  value!: string | string[];
}

export class TrustMapDto {
  @NestedListField(() => ClaimConditionDto, { optional: true, maxItems: 20 })
  conditions?: ClaimConditionDto[];
  @ReferenceField({
    optional: true,
    nullable: true,
    description:
      'Id or slug of the workspace. Null or absent: the token names the workspace in the claim gw_workspace.',
  })
  workspace?: string | null;
  @TextListField({ minItems: 1, maxItems: 100, example: ['completions.write'] }) scopes!: string[];
  @MapField({
    optional: true,
    description: 'Metadata of requests: JSON pointers to claims by metadata name.',
  })
  metadata?: Record<string, string>;
}

export class TrustFields {
  @NameField({ example: 'ci' }) name!: string;
  @EnumField(KINDS, {
    example: 'workload',
    description:
      'jwt: the claims of a token may choose workspace, scopes, metadata and limits within the map. workload: only the map decides. id_jag: assertions of an identity provider, which clients of the OAuth server exchange for tokens of its users.',
  })
  kind!: (typeof KINDS)[number];
  @EnumField(PRESETS, { optional: true, nullable: true, description: 'Platform that issues the tokens.' })
  preset?: string | null;
  @TextField({ max: 2_048, description: 'Exact value of the claim iss.', example: 'https://idp.example.org' })
  issuer!: string;
  @TextField({
    optional: true,
    nullable: true,
    max: 20_000,
    description:
      'URLs of key sets, separated by commas, at most 10; their keys are merged. When both this and jwks are absent: the address that the issuer publishes.',
    example: 'https://idp.example.org/jwks.json',
  })
  jwks_uri?: string | null;
  @ObjectField({ optional: true, nullable: true, description: 'A key set, used in place of jwks_uri.' })
  jwks?: { keys?: unknown } | null;
  @TextListField({
    minItems: 1,
    maxItems: 20,
    itemMax: 1_024,
    description:
      "Accepted values of the claim aud, one of which a token needs; with id_jag, only Tollgate's issuer.",
    example: ['https://gateway.example.com'],
  })
  audiences!: string[];
  @EnumListField(SIGNING_ALGORITHMS, {
    optional: true,
    maxItems: SIGNING_ALGORITHMS.length,
    description: 'Accepted algorithms. Default: RS256.',
  })
  algorithms?: string[];
  @NestedListField(() => ClaimConditionDto, {
    optional: true,
    maxItems: 20,
    description: 'Conditions that all tokens must meet.',
  })
  conditions?: ClaimConditionDto[];
  @NestedListField(() => TrustMapDto, {
    optional: true,
    minItems: 1,
    maxItems: 50,
    description:
      'Rights of tokens; the first map whose conditions are met applies. Required, except with id_jag, where maps are not allowed.',
  })
  maps?: TrustMapDto[];
  @IntegerField({
    optional: true,
    min: 60,
    max: DAY_SECONDS,
    description: 'Maximum lifetime of a token in seconds. Default: one day, with id_jag five minutes.',
  })
  max_ttl?: number;
  @BooleanField({
    optional: true,
    description: 'True: each token works once, by its jti. max_ttl must then be at most an hour.',
  })
  require_jti_once?: boolean;
  @BooleanField({
    optional: true,
    description:
      'True: on the control plane, tokens act for the user whom sub (by a login at the same issuer) or email identifies. Only with kind jwt.',
  })
  link_users?: boolean;
  @EnumField(['active', 'disabled'], { optional: true }) status?: 'active' | 'disabled';
}

/** Fields that are stored as they are sent. */
export class PlainTrustFields extends pickOf(
  TrustFields,
  'name',
  'kind',
  'preset',
  'audiences',
  'algorithms',
  'conditions',
  'max_ttl',
  'require_jti_once',
  'link_users',
  'status',
) {}

export class UpdateTrustDto extends partialOf(TrustFields) {}

export class ListTrustsQuery extends pageOf({ size: 100 }) {}

export class TestTrustDto {
  @TextField({
    max: 16_384,
    description: 'A token. It is not stored.',
    example: 'eyJhbGciOiJSUzI1NiJ9.e30.x',
  })
  token!: string;
}

class ClaimConditionResponse {
  @ResponseField.text({ example: '/sub' }) readonly claim!: string;
  @ResponseField.oneOf(CLAIM_OPERATORS) readonly op!: string;
  @ResponseField.any({ description: 'A string, or a list for in.' }) readonly value!: unknown;
}

class TrustMapResponse {
  @ResponseField.list(() => ClaimConditionResponse) readonly conditions!: readonly ClaimConditionResponse[];
  @ResponseField.uuid({ nullable: true }) readonly workspace!: string | null;
  @ResponseField.texts({ example: ['completions.write'] }) readonly scopes!: readonly string[];
  @ResponseField.map() readonly metadata!: Readonly<Record<string, string>>;
}

export class TrustResponse extends RowResponse {
  @ResponseField.kind('trust') readonly object!: 'trust';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ci' }) readonly name!: string;
  @ResponseField.oneOf(KINDS) readonly kind!: string;
  @ResponseField.text({ nullable: true, example: 'github' }) readonly preset!: string | null;
  @ResponseField.text({ example: 'https://idp.example.org' }) readonly issuer!: string;
  @ResponseField.text({ nullable: true, example: 'https://idp.example.org/jwks.json' })
  readonly jwks_uri!: string | null;
  @ResponseField.any({ description: 'The key set; null when the keys come from jwks_uri.' })
  readonly jwks!: object | null;
  @ResponseField.texts({ example: ['https://gateway.example.com'] }) readonly audiences!: readonly string[];
  @ResponseField.texts({ example: ['RS256'] }) readonly algorithms!: readonly string[];
  @ResponseField.list(() => ClaimConditionResponse) readonly conditions!: readonly ClaimConditionResponse[];
  @ResponseField.list(() => TrustMapResponse) readonly maps!: readonly TrustMapResponse[];
  @ResponseField.integer({ example: DAY_SECONDS }) readonly max_ttl!: number;
  @ResponseField.boolean() readonly require_jti_once!: boolean;
  @ResponseField.boolean() readonly link_users!: boolean;
  @ResponseField.oneOf(['active', 'disabled']) readonly status!: string;
}

class TrustStepResponse {
  @ResponseField.oneOf(TOKEN_CHECKS)
  readonly check!: string;
  @ResponseField.oneOf(['passed', 'failed', 'not_reached']) readonly outcome!: string;
  @ResponseField.text({ nullable: true, example: null }) readonly message!: string | null;
}

export class TrustTestResponse {
  @ResponseField.boolean() readonly accepted!: boolean;
  @ResponseField.list(() => TrustStepResponse) readonly steps!: readonly TrustStepResponse[];
  @ResponseField.any({
    description:
      'Rights that the token would give: workspace, scopes, metadata and user; null when a check fails.',
  })
  readonly caller!: object | null;
}

export class TrustPresetResponse {
  @ResponseField.text({ example: 'github' }) readonly id!: string;
  @ResponseField.text({ example: 'GitHub Actions' }) readonly name!: string;
  @ResponseField.boolean({ description: 'Whether all customers of the platform share one issuer.' })
  readonly shared_issuer!: boolean;
  @ResponseField.any({
    description: 'Lists of claims; for a shared issuer, the conditions must use one of the lists.',
  })
  readonly pins!: readonly (readonly string[])[];
  @ResponseField.text({ example: 'https://docs.github.com' }) readonly documentation!: string;
}

export const toTrust = (row: TrustEntity): TrustResponse =>
  viewOf(TrustResponse, row, {
    object: 'trust',
    jwks_uri: row.jwksUrls.length === 0 ? null : row.jwksUrls.join(','),
    jwks: row.jwksUrls.length === 0 ? { keys: row.keys } : null,
    conditions: row.conditions,
    maps: row.maps.map(({ workspaceId, ...map }) => ({ ...map, workspace: workspaceId })),
    audiences: row.audiences,
    algorithms: row.algorithms,
  });
