import { asObject } from '../../dialects/json';
import type { Losses } from '../../losses';
import type { JsonObject } from '../../provider';
import { refuse } from './refuse';

interface Member {
  /** The value changes nothing, so that leaving it out loses nothing. */
  readonly isNeutral: (value: unknown) => boolean;
  /** The answer would be another one without it: it is refused whatever the config says. */
  readonly isEssential?: boolean;
}

const NEVER = (): boolean => false;
const isZero = (value: unknown): boolean => value === 0;
const isFalse = (value: unknown): boolean => value === false;

/** What Anthropic has no word for: accepted at the value that changes nothing, else left out or refused. */
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

/** True: the member is none of Anthropic's, and has been dealt with. Throws what is refused. */
export function isLeftOut(name: string, value: unknown, losses: Losses): boolean {
  const member = Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined;
  if (member === undefined) return false;
  if (value === null || member.isNeutral(value)) return true;
  const message = `Anthropic has no equivalent of ${name}`;
  if (member.isEssential === true) throw refuse(name, `${message}; leave it out.`);
  losses.leaveOut(name, `${message}.`);
  return true;
}

/** Longest name of a client's own that an error repeats. */
const NAME_MAX = 64;

/** Anthropic's `metadata` has nothing but the id of the user. */
export function userMetadata(body: JsonObject, losses: Losses): JsonObject {
  const { user_id: given, ...others } = asObject(body['metadata']) ?? {};
  for (const name of Object.keys(others))
    losses.leaveOut(`metadata.${name.slice(0, NAME_MAX)}`, 'Anthropic takes no metadata but user_id.');
  const user = body['user'] ?? body['safety_identifier'] ?? given ?? null;
  return user === null ? {} : { metadata: { user_id: user } };
}
