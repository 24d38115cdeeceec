import type { FaultClass, ProviderFault } from '../response';

/** How dialects represent a class of errors. */
export interface FaultWords {
  /** Type in Anthropic's errors. */
  readonly anthropic: string;
  /** Status in Google's errors. */
  readonly google: string;
  /** Type in OpenAI's errors. */
  readonly openai: string;
  /** HTTP status when the provider's status is not informative. */
  readonly status: number;
}

const words = (anthropic: string, google: string, openai: string, status: number): FaultWords => ({
  anthropic,
  google,
  openai,
  status,
});

export const FAULT_WORDS: Readonly<Record<FaultClass, FaultWords>> = {
  invalid: words('invalid_request_error', 'INVALID_ARGUMENT', 'invalid_request_error', 400),
  blocked: words('invalid_request_error', 'INVALID_ARGUMENT', 'content_filter', 400),
  auth: words('authentication_error', 'UNAUTHENTICATED', 'authentication_error', 401),
  billing: words('billing_error', 'FAILED_PRECONDITION', 'insufficient_quota', 402),
  permission: words('permission_error', 'PERMISSION_DENIED', 'permission_error', 403),
  not_found: words('not_found_error', 'NOT_FOUND', 'not_found_error', 404),
  timeout: words('timeout_error', 'DEADLINE_EXCEEDED', 'timeout', 504),
  conflict: words('conflict_error', 'ABORTED', 'conflict_error', 409),
  too_large: words('request_too_large', 'INVALID_ARGUMENT', 'invalid_request_error', 413),
  rate: words('rate_limit_error', 'RESOURCE_EXHAUSTED', 'rate_limit_error', 429),
  overloaded: words('overloaded_error', 'UNAVAILABLE', 'server_overloaded', 503),
  server: words('api_error', 'INTERNAL', 'server_error', 500),
  closed: words('api_error', 'CANCELLED', 'request_cancelled', 499),
};

/** Returns the class of an HTTP status of 400 and more. */
export function classOfStatus(status: number): FaultClass {
  return STATUSES.get(status) ?? (status >= 500 ? 'server' : 'invalid');
}

const STATUSES: ReadonlyMap<number, FaultClass> = new Map<number, FaultClass>([
  [401, 'auth'],
  [402, 'billing'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'too_large'],
  [424, 'server'],
  [429, 'rate'],
  [498, 'overloaded'],
  [499, 'closed'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
]);

/** Types and codes of providers, in lower case, that take precedence over the HTTP status. */
const NAMES: ReadonlyMap<string, FaultClass> = new Map(
  Object.entries({
    invalid: [
      'validationexception invalid_argument failed_precondition out_of_range context_length_exceeded',
      'invalid_prompt data_residency_mismatch invalid_image invalid_image_format invalid_base64_image',
      'invalid_image_url invalid_image_mode image_too_large image_too_small image_parse_error empty_image_file',
      'image_file_too_large image_file_not_found unsupported_image_media_type failed_to_download_image',
    ].join(' '),
    blocked: [
      'content_filter content_policy_violation moderation_blocked data_inspection_failed 1301 1026 1027',
      'image_content_policy_violation bio_policy',
    ].join(' '),
    auth: [
      'invalid_api_key authentication_error unauthenticated unrecognizedclientexception 1004',
      'invalidsignatureexception expiredtokenexception expiredtoken incompletesignatureexception',
      'missingauthenticationtokenexception invalidclienttokenid',
    ].join(' '),
    billing: [
      'insufficient_quota billing_error billing_hard_limit_reached credit_balance 1008 1113',
      'exceeded_current_quota_error arrearage accountoverdueerror',
    ].join(' '),
    permission:
      'permission_error permission_denied accessdeniedexception unsupported_country unsupported_country_region_territory',
    not_found: 'model_not_found deploymentnotfound not_found not_found_error resourcenotfoundexception',
    timeout: 'timeout timeout_error deadline_exceeded modeltimeoutexception vector_store_timeout',
    conflict: 'conflict_error aborted already_exists conflictexception',
    too_large: 'request_too_large',
    rate: [
      'rate_limit_exceeded rate_limit_error resource_exhausted throttlingexception throttling 1002 1302 1303 1305',
      'servicequotaexceededexception modelnotreadyexception toomanyrequestsexception',
    ].join(' '),
    overloaded: [
      'overloaded_error server_overloaded engine_overloaded engine_overloaded_error unavailable',
      'serviceunavailableexception server_is_overloaded slow_down',
    ].join(' '),
    server: 'internal unknown internalserverexception modelerrorexception modelstreamerrorexception',
    closed: 'cancelled',
  } satisfies Record<FaultClass, string>).flatMap(([name, names]) =>
    names.split(' ').map((word) => [word, name as FaultClass] as const),
  ),
);

/** Types that are less specific than the HTTP status. */
const VAGUE: ReadonlyMap<string, FaultClass> = new Map<string, FaultClass>([
  ['invalid_request_error', 'invalid'],
  ['2013', 'invalid'],
  ['requests', 'rate'],
  ['tokens', 'rate'],
  ['server_error', 'server'],
  ['api_error', 'server'],
]);

/** Returns the class that a provider's type or code names; null when it names none. */
export const classOfName = (name: string | undefined): FaultClass | null =>
  name === undefined ? null : (NAMES.get(name.toLowerCase()) ?? null);

export const vagueClass = (name: string | undefined): FaultClass | null =>
  name === undefined ? null : (VAGUE.get(name.toLowerCase()) ?? null);

/** Returns the error in Anthropic's form. */
export const anthropicError = ({
  class: found,
  message,
}: ProviderFault): { type: string; message: string } => ({
  type: FAULT_WORDS[found].anthropic,
  message,
});
