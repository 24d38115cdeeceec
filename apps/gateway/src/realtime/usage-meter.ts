import type { Usage } from '@gw/contracts';
import type { JsonObject, Provider } from '@gw/providers';
import { isObject } from '../http/json-body';

/** Events are a few KB; audio goes by in larger ones, which are not read. */
const EVENT_BYTES_MAX = 1_048_576;
const READ = ['"response.done"', '"session.created"', '"session.updated"'] as const;

/** Adds up what the provider's events say was used. Each response of a session is charged on its own. */
export class UsageMeter {
  private sum: Usage | null = null;
  private named: string | null = null;

  constructor(private readonly provider: Pick<Provider, 'usage'>) {}

  usage(): Usage | null {
    return this.sum;
  }

  /** The model that the provider says the session runs on. */
  model(): string | null {
    return this.named;
  }

  /** Looks at a text message of the provider; most are told apart by a search for a few words. Gives the usage that it tells. */
  read(message: Buffer): Usage | null {
    if (message.length > EVENT_BYTES_MAX || !READ.some((type) => message.includes(type))) return null;
    const event = objectOf(message);
    if (event === null) return null;
    const { type, response, session } = event;
    if (type === 'response.done' && isObject(response)) return this.add(this.provider.usage(response));
    if ((type === 'session.created' || type === 'session.updated') && isObject(session)) {
      const { model } = session;
      if (typeof model === 'string') this.named = model.slice(0, 256);
    }
    return null;
  }

  private add(usage: Usage | null): Usage | null {
    if (usage === null) return null;
    const { sum } = this;
    this.sum =
      sum === null
        ? usage
        : {
            inputTokens: sum.inputTokens + usage.inputTokens,
            outputTokens: sum.outputTokens + usage.outputTokens,
            cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
            cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
            reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
            inputAudioTokens: sum.inputAudioTokens + usage.inputAudioTokens,
            outputAudioTokens: sum.outputAudioTokens + usage.outputAudioTokens,
          };
    return usage;
  }
}

function objectOf(message: Buffer): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(message.toString('utf8'));
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
