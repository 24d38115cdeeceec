import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import type { Pricer, PriceRequest } from '@gw/pricing';
import type { JsonObject, Provider } from '@gw/providers';
import { makeCall, planChat, planModels, type ProviderResponse, type TestedProvider } from './provider-calls';
import { CHECK_IDS, type CheckId, type IntegrationCheckResponse } from './integration-tests.dto';
import { shownText } from './shown-text';

/** Maximum number of listed models that are read. */
const MODELS_MAX = 2_000;

export interface TestedPrices {
  readonly pricer: Pricer;
  /** Returns the price request of a model; null when the model's own price cannot be read. */
  readonly request: (model: string) => PriceRequest | null;
}

type Result = Omit<IntegrationCheckResponse, 'id'>;

/**
 * Checks a provider step by step with at most two calls: its list of models and one small streamed
 * chat.
 */
export class ProviderChecks {
  private readonly results = new Map<CheckId, Result>();
  private listed: readonly string[] = [];
  /** Model of the chat. */
  model: string | null;

  constructor(
    private readonly http: BufferedClient,
    private readonly tested: TestedProvider,
    private readonly prices: TestedPrices,
    wanted: string | undefined,
  ) {
    this.model = wanted ?? null;
  }

  async run(): Promise<readonly IntegrationCheckResponse[]> {
    await this.list();
    if (this.isReached) await this.chat();
    return this.all;
  }

  /** Returns all checks in their order; those that an earlier failure prevents have no result. */
  get all(): readonly IntegrationCheckResponse[] {
    const failed = CHECK_IDS.find((id) => this.results.get(id)?.ok === false);
    const rest = skipped(failed === undefined ? 'Not checked.' : `Not checked, because ${failed} failed.`);
    return CHECK_IDS.map((id) => ({ id, ...(this.results.get(id) ?? rest) }));
  }

  private get isReached(): boolean {
    return !CHECK_IDS.slice(0, 3).some((id) => this.results.get(id)?.ok === false);
  }

  private set(id: CheckId, result: Result): void {
    this.results.set(id, result);
  }

  private async list(): Promise<void> {
    const call = planModels(this.tested);
    if (call === null) {
      this.set('models', skipped('The provider has no list of models.'));
      return;
    }
    const response = await this.reach(call);
    if (response === null) return;
    const { status, ms } = response;
    if (status === 404 || status === 405 || status === 501) {
      this.set('models', {
        ok: null,
        ms,
        message: `The address has no list of models (status ${String(status)}).`,
      });
      return;
    }
    const text = this.answerOf(response);
    if (this.judgeCredential(response, text)) return;
    const models = status === 200 ? modelsIn(jsonOf(response.body)) : null;
    if (models === null) {
      this.set('models', { ok: false, ms, message: `The list of models could not be read: ${text}` });
      return;
    }
    this.listed = models;
    const isMissing = this.model !== null && models.length > 0 && !models.includes(this.model);
    const message = `The provider lists ${String(models.length)} models${isMissing ? ', but not the one that is tested' : ''}.`;
    this.set('models', { ok: !isMissing, ms, message });
  }

  private async chat(): Promise<void> {
    this.model ??= this.cheapest();
    const { model } = this;
    if (model === null) {
      for (const id of ['chat', 'stream', 'price'] as const)
        this.set(id, skipped('No listed model has a price; name a model to test.'));
      return;
    }
    this.judgePrice(model);
    const call = planChat(this.tested, model);
    if (call === null) {
      for (const id of ['chat', 'stream'] as const) this.set(id, skipped('The provider serves no chat.'));
      return;
    }
    const response = await this.reach(call);
    if (response === null) return;
    const text = this.answerOf(response);
    if (this.judgeCredential(response, text)) return;
    const { status, ms } = response;
    if (status !== 200) {
      this.set('chat', {
        ok: false,
        ms,
        message: `The provider refused the chat: ${text}`,
        cost_exact: null,
      });
      return;
    }
    this.judgeChat(call.provider, model, response, text);
  }

  private judgeChat(provider: Provider, model: string, { body, ms }: ProviderResponse, text: string): void {
    const tap = provider.tap();
    tap.write(body);
    const usage = tap.usage() ?? usageOf(provider, jsonOf(body));
    const isStreamed = (tap.complete || tap.finishedChoices > 0) && !tap.failed;
    const isAnswered = isStreamed || usage !== null;
    this.set('chat', {
      ok: isAnswered,
      ms,
      message: isAnswered
        ? 'The provider answered a small chat.'
        : `The response is not that of a chat: ${text}`,
      cost_exact: usage && this.costOf(model, usage),
    });
    this.set('stream', {
      ok: isStreamed,
      ms,
      message: isStreamed
        ? 'The stream was complete.'
        : 'The response was no complete stream; requests with stream: true may fail.',
    });
  }

  private costOf(model: string, usage: Usage): string | null {
    const request = this.prices.request(model);
    const priced = request && this.prices.pricer.price(request, usage, Date.now());
    return priced && String(priced.total);
  }

  /**
   * Makes a call and evaluates the address and TLS checks by it. Returns null when there was no
   * response.
   */
  private async reach(call: Parameters<typeof makeCall>[1]): Promise<ProviderResponse | null> {
    const startedAt = performance.now();
    try {
      const response = await makeCall(this.http, call);
      const isLocal = call.provider.local !== undefined;
      const message = isLocal ? 'The sandbox runs in this installation.' : 'The address was reached.';
      if (!this.results.has('address')) this.set('address', { ok: true, ms: response.ms, message });
      if (!this.results.has('tls'))
        this.set(
          'tls',
          call.url.startsWith('https:')
            ? { ok: true, ms: response.ms, message: 'The certificate of the address is valid.' }
            : skipped(isLocal ? 'There is no connection.' : 'The address has no TLS.'),
        );
      return response;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const ms = Math.round(performance.now() - startedAt);
      const isTls = error.reason === 'tls_failed';
      const isLater = this.results.has('address');
      if (isTls && !isLater) this.set('address', { ok: true, ms, message: 'The address was reached.' });
      this.set(isLater ? 'chat' : isTls ? 'tls' : 'address', { ok: false, ms, message: failureOf(error) });
      return null;
    }
  }

  /** Evaluates the credential check. Returns whether the response refuses the credential. */
  private judgeCredential({ status, ms }: ProviderResponse, text: string): boolean {
    if (status === 401 || status === 403) {
      this.set('credential', { ok: false, ms, message: `The provider refused the credential: ${text}` });
      return true;
    }
    if (status < 400)
      this.set('credential', { ok: true, ms, message: 'The provider accepted the credential.' });
    return false;
  }

  private judgePrice(model: string): void {
    const request = this.prices.request(model);
    const rates = request && this.prices.pricer.rates(request, Date.now());
    const isPriced = rates !== null && rates.rates.length > 0;
    const source = rates?.source === 'custom' ? 'the integration' : 'the catalogue';
    this.set('price', {
      ok: isPriced,
      ms: null,
      message: isPriced
        ? `The model has prices of ${source}.`
        : 'The model has no price: its requests are not counted in any budget. Set prices of the model.',
    });
  }

  /**
   * Returns the listed model with the lowest price of output tokens. When none has a price, returns
   * the first one of a local provider, and null for other providers.
   */
  private cheapest(): string | null {
    let best: { readonly model: string; readonly price: number } | null = null;
    for (const model of this.listed) {
      const price = this.outputPriceOf(model);
      if (price > 0 && price < (best?.price ?? Infinity)) best = { model, price };
    }
    const isFree = this.tested.provider.local !== undefined;
    return best?.model ?? (isFree ? (this.listed[0] ?? null) : null);
  }

  /** Returns the price of output tokens; 0 for a model without a price. */
  private outputPriceOf(model: string): number {
    const request = this.prices.request(model);
    const rates = request && this.prices.pricer.rates(request, Date.now());
    return rates?.rates.find(({ unit }) => unit === 'output')?.price ?? 0;
  }

  private answerOf({ status, body }: ProviderResponse): string {
    const read = jsonOf(body);
    const message = (read && this.tested.provider.error(read)?.message) ?? '';
    const shown = shownText(message, this.tested.credential);
    return shown === '' ? `status ${String(status)}.` : `status ${String(status)}, ${JSON.stringify(shown)}.`;
  }
}

const usageOf = (provider: Provider, body: JsonObject | null): Usage | null =>
  body === null ? null : provider.usage(body);

const skipped = (message: string): Result => ({ ok: null, ms: null, message });

const FAILURES: Readonly<Record<string, string>> = {
  refused: 'The address policy refuses the address.',
  timeout: 'The provider did not respond in time.',
  interrupted: 'The response broke off, is too large or is not valid HTTP.',
  name_not_resolved: 'The host name could not be resolved.',
  connection_refused: 'The host refused the connection.',
  tls_failed: 'The TLS connection failed; the certificate may not be valid for the host.',
};

const failureOf = ({ failure, reason }: OutboundError): string =>
  FAILURES[reason ?? ''] ?? FAILURES[failure] ?? 'The address could not be reached.';

function jsonOf(body: Buffer): JsonObject | null {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'));
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

/** Returns the model names in a list in the format of OpenAI or Google; null for another body. */
function modelsIn(body: JsonObject | null): readonly string[] | null {
  const list = body?.['data'] ?? body?.['models'];
  if (!Array.isArray(list)) return null;
  return list.slice(0, MODELS_MAX).flatMap((entry: unknown) => {
    const name = isObject(entry) ? (entry['id'] ?? entry['name']) : null;
    return typeof name === 'string' && name.length <= 255 ? [name.replace(/^models\//, '')] : [];
  });
}
