import { asObject } from '@gw/dialects';
import type { DroppedParams } from '../../losses';
import type { JsonObject } from '../../provider';
import { refuse } from './refuse';

interface Member {
  /** Whether the value has no effect, so that dropping it loses nothing. */
  readonly isNeutral: (value: unknown) => boolean;
  /**
   * Without the member the response would be a different one, so it is refused whatever the config
   * says.
   */
  readonly isEssential?: boolean;
}

const NEVER = (): boolean => false;
const isZero = (value: unknown): boolean => value === 0;
const isFalse = (value: unknown): boolean => value === false;

/**
 * Members that Anthropic does not support: accepted with a neutral value, otherwise dropped or
 * refused.
 */
const UNSUPPORTED: Readonly<Record<string, Member>> = {
  n: { isNeutral: (value) => value === 1, isEssential: true },
  functions: { isNeutral: NEVER, isEssential: true },
  function_call: { isNeutral: NEVER, isEssential: true },
  audio: { isNeutral: NEVER, isEssential: true },
  web_search_options: { isNeutral: NEVER, isEssential: true },
  modalities: {
    isNeutral: (value) => Array.isArray(value) && value.every((item) => item === 'text'),
    isEssential: true,
  },
  logprobs: { isNeutral: isFalse },
  top_logprobs: { isNeutral: isZero },
  frequency_penalty: { isNeutral: isZero },
  presence_penalty: { isNeutral: isZero },
  logit_bias: { isNeutral: (value) => Object.keys(asObject(value) ?? { odd: true }).length === 0 },
  seed: { isNeutral: NEVER },
  prediction: { isNeutral: NEVER },
  store: { isNeutral: isFalse },
  verbosity: { isNeutral: (value) => value === 'medium' },
  prompt_cache_key: { isNeutral: NEVER },
  prompt_cache_retention: { isNeutral: NEVER },
};

/**
 * Returns true when Anthropic does not support the member and it has been dropped. Throws when it
 * is refused.
 */
export function isLeftOut(name: string, value: unknown, losses: DroppedParams): boolean {
  const member = Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined;
  if (member === undefined) return false;
  if (value === null || member.isNeutral(value)) return true;
  const message = `Anthropic has no equivalent of ${name}`;
  if (member.isEssential === true) throw refuse(name, `${message}; leave it out.`);
  losses.leaveOut(name, `${message}.`);
  return true;
}

/** Maximum length of a client's member name that an error repeats. */
const NAME_MAX = 64;

/** Translates the metadata; Anthropic supports only the id of the user. */
export function userMetadata(body: JsonObject, losses: DroppedParams): JsonObject {
  const { user_id: given, ...others } = asObject(body['metadata']) ?? {};
  for (const name of Object.keys(others))
    losses.leaveOut(`metadata.${name.slice(0, NAME_MAX)}`, 'Anthropic accepts no metadata except user_id.');
  const user = body['user'] ?? body['safety_identifier'] ?? given ?? null;
  return user === null ? {} : { metadata: { user_id: user } };
}
