import { isObject } from '@gw/kernel';
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import {
  CheckError,
  defineCheck,
  type CheckContext,
  type CheckOutcome,
  type ParameterReport,
} from '../check';
import { isSameJson, type JsonObject } from '../json';
import { object, textList } from '../parameters';
import { checkUrl, URL_PARAMETER } from '../remote';
import { KeySets } from './jwt-keys';

interface Parameters {
  readonly jwksUri?: string;
  readonly jwks?: JSONWebKeySet;
  readonly headerKey: string;
  readonly cacheMaxAge: number;
  readonly clockTolerance: number;
  readonly maxTokenAge: string;
  readonly algorithms: readonly string[];
  readonly issuer?: string;
  readonly audience?: string | readonly string[];
  readonly requiredClaims?: readonly string[];
  readonly claimValues?: Readonly<Record<string, unknown>>;
  readonly headerPayloadMatch?: readonly string[];
}

/**
 * Signatures with a shared secret are never accepted, because a published key would be a valid
 * secret.
 */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export const jwt = defineCheck<Parameters>({
  id: 'default.jwt',
  doc: 'A header contains a JSON Web Token with a valid signature, not expired, with the required claims.',
  kind: 'metadata',
  stages: ['input'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 5_000,
  timeoutParameter: 'timeout',
  parameters: object(
    {
      jwksUri: {
        ...URL_PARAMETER,
        description: 'URL where the keys are published; separate several by commas.',
      },
      jwks: {
        type: 'object',
        required: ['keys'],
        properties: { keys: { type: 'array', minItems: 1, maxItems: 50 } },
      },
      headerKey: { type: 'string', minLength: 1, maxLength: 128, default: 'authorization' },
      cacheMaxAge: {
        type: 'integer',
        minimum: 1,
        maximum: 604_800,
        default: 86_400,
        description: 'Seconds.',
      },
      clockTolerance: { type: 'integer', minimum: 0, maximum: 600, default: 5, description: 'Seconds.' },
      maxTokenAge: {
        type: 'string',
        pattern: '^[0-9]{1,6} ?[smhdw]$',
        default: '1d',
        description: 'must be a time such as 15m, 12h or 1d',
      },
      algorithms: {
        type: 'array',
        items: { enum: ALGORITHMS },
        minItems: 1,
        maxItems: 10,
        default: ['RS256'],
      },
      issuer: { type: 'string', minLength: 1, maxLength: 1_000 },
      audience: {
        type: ['string', 'array'],
        items: { type: 'string' },
        minItems: 1,
        maxItems: 50,
        maxLength: 1_000,
      },
      requiredClaims: textList(50, 200),
      claimValues: { type: 'object', maxProperties: 50 },
      headerPayloadMatch: textList(50, 200),
    },
    [],
  ),
  example: {
    jwksUri: 'https://login.example.com/.well-known/jwks.json',
    headerKey: 'x-user-token',
    cacheMaxAge: 3_600,
    clockTolerance: 5,
    maxTokenAge: '1d',
    algorithms: ['RS256'],
    requiredClaims: ['sub'],
  },
  prepare(parameters, report) {
    const keysOf = keySource(parameters, report);
    return {
      async evaluate({ facts }, context) {
        const header = headerOf(facts.headers, parameters.headerKey);
        const token = header?.replace(/^Bearer +/i, '');
        if (!token) return failed('The header with the token is missing.');
        const payload = await verify(token, parameters, keysOf, context);
        if (typeof payload === 'string') return failed(payload);
        const fault = claimFault(payload, parameters, facts.headers);
        return fault === null
          ? { verdict: true, data: { explanation: 'The token is valid.' } }
          : failed(fault);
      },
    };
  },
});

const failed = (explanation: string): CheckOutcome => ({ verdict: false, data: { explanation } });

type KeySource = (
  context: CheckContext,
  isRetry: boolean,
  issuer: string | null,
) => Promise<readonly JWTVerifyGetKey[]>;

function keySource(parameters: Parameters, report: ParameterReport): KeySource {
  const { jwksUri, jwks, cacheMaxAge } = parameters;
  if (jwks) {
    if (!jwks.keys.every(isObject)) {
      report(['jwks', 'keys'], 'keys', 'must be a list of JSON Web Keys', undefined);
      return () => Promise.resolve([]);
    }
    const keys = createLocalJWKSet(jwks);
    return () => Promise.resolve([keys]);
  }
  const uris = (jwksUri ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter(Boolean);
  if (uris.length === 0) report(['jwksUri'], 'required', 'is required, or jwks', undefined);
  for (const uri of uris) checkUrl(uri, 'jwksUri', report);
  const sets = new KeySets(uris, cacheMaxAge * 1_000);
  return (context, isRetry, issuer) => sets.keys(context, isRetry, issuer);
}

/**
 * Returns the payload, or a sentence that says why the token is refused. Fetches the keys once more
 * when no cached key fits.
 */
async function verify(
  token: string,
  { algorithms, clockTolerance, maxTokenAge, issuer, audience }: Parameters,
  keysOf: KeySource,
  context: CheckContext,
): Promise<JWTPayload | string> {
  const options = {
    algorithms: [...algorithms],
    clockTolerance,
    maxTokenAge,
    currentDate: new Date(context.port.now()),
    requiredClaims: ['exp'],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience: typeof audience === 'string' ? audience : [...audience] }),
  };
  let reason = 'No key fits the token.';
  for (const isRetry of [false, true]) {
    let hasKey = false;
    for (const keys of await keysOf(context, isRetry, issuerOf(token))) {
      try {
        return (await jwtVerify(token, keys, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw new CheckError('The token could not be checked.');
        if (error instanceof errors.JWKSNoMatchingKey) continue;
        hasKey = true;
        reason = reasonOf(error);
        // Another key set may have a matching key with the same id. All other errors are the same
        // for every set.
        if (!isKeyError(error)) return reason;
      }
    }
    if (hasKey) return reason;
  }
  return reason;
}

const isKeyError = (error: errors.JOSEError): boolean =>
  error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSMultipleMatchingKeys;

/** Returns the unverified issuer of the token, which only selects among keys. */
function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/** Describes an error without the library's message, which may contain parts of the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `The claim ${error.claim.slice(0, 100)} does not have the required value.`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'No key fits the token.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature is wrong.';
  return 'The token is not valid.';
}

type Headers = Readonly<Record<string, string>>;

const headerOf = (headers: Headers, name: string): string | undefined => {
  const lower = name.toLowerCase();
  return Object.hasOwn(headers, lower) ? headers[lower] : undefined;
};

function claimFault(
  payload: JWTPayload,
  { requiredClaims, claimValues, headerPayloadMatch }: Parameters,
  headers: Headers,
): string | null {
  const missing = requiredClaims?.find((name) => !Object.hasOwn(payload, name));
  if (missing !== undefined) return `The claim ${missing} is missing.`;
  for (const [name, wanted] of Object.entries(claimValues ?? {})) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (!fits(value, wanted)) return `The claim ${name} does not have the required value.`;
  }
  const other = headerPayloadMatch?.find((name) => {
    const sent = headerOf(headers, name);
    return sent === undefined || !Object.hasOwn(payload, name) || String(payload[name]) !== sent;
  });
  return other === undefined ? null : `The header ${other} does not match the token.`;
}

/**
 * Returns whether a claim has a required value, one value of a list, or the values of `{ values,
 * matchType }`. Any other object is the value itself.
 */
function fits(value: unknown, wanted: unknown): boolean {
  const isRule = isObject(wanted) && (wanted['values'] !== undefined || wanted['value'] !== undefined);
  if (isObject(wanted) && !isRule) return isSameJson(value, wanted);
  const rule: JsonObject = isObject(wanted) ? wanted : { values: wanted };
  const values = (
    Array.isArray(rule['values']) ? rule['values'] : [rule['values'] ?? rule['value']]
  ) as unknown[];
  const actual: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
  switch (rule['matchType']) {
    case 'containsAll':
      return values.every((each) => actual.includes(each));
    case 'contains':
      return values.some((each) =>
        actual.some(
          (part) =>
            part === each || (typeof part === 'string' && typeof each === 'string' && part.includes(each)),
        ),
      );
    default:
      return values.some((each) => actual.includes(each));
  }
}
