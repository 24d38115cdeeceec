import { EnumField, ObjectField, ResponseField, TextField } from '@gw/web';

export class ScimDryRunDto {
  @EnumField(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { example: 'POST' }) method!: string;
  @TextField({
    max: 1_024,
    pattern: /^\/(?:Users|Groups)(?:\/[^/\s]+)?$/,
    description: 'Path of the request below the base URL.',
    example: '/Users',
  })
  path!: string;
  @ObjectField({ optional: true, description: 'Body of the SCIM request.' }) body?: object;
}

export class DryRunResponse {
  @ResponseField.integer({ description: 'Status of the response that the request would get.', example: 201 })
  readonly status!: number;
  @ResponseField.any({
    description: 'Body of the error that the request would get; null when it would succeed.',
  })
  readonly error!: object | null;
  @ResponseField.jsons({ description: 'Audit entries that the request would write.' })
  readonly changes!: readonly object[];
}

class ScimExchangeResponse {
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.oneOf(['entra', 'google', 'jumpcloud', 'okta', 'onelogin', 'other'])
  readonly dialect!: string;
  @ResponseField.text({ example: 'PATCH' }) readonly method!: string;
  @ResponseField.text({ example: '/Groups/0193f0aa-0000-7000-8000-000000000000' }) readonly path!: string;
  @ResponseField.integer({ example: 400 }) readonly status!: number;
  @ResponseField.text({ nullable: true, example: 'invalidPath' }) readonly scim_type!: string | null;
  @ResponseField.text({ nullable: true, example: 'The path nosuch names no attribute.' }) readonly detail!:
    string | null;
  @ResponseField.text({ example: 'a1b2c3' }) readonly request_id!: string;
}

export class ScimExchangeListResponse {
  @ResponseField.kind('list') readonly object!: 'list';
  @ResponseField.integer({
    description: 'Number of users whose memberships are applied in the background.',
    example: 0,
  })
  readonly pending_users!: number;
  @ResponseField.list(() => ScimExchangeResponse) readonly data!: readonly ScimExchangeResponse[];
}
