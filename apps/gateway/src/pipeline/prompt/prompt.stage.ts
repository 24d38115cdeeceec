import { variablesIn } from '@gw/prompts';
import { exactNumbers, shallowScan, withExactNumbers, type JsonObject } from '@gw/providers';
import { parseJsonObject } from '../../http/json-body';
import { bodyTooLarge } from '../../http/read-body';
import { routeOf, type Route } from '../../routes/route-table';
import type { Prompts } from '../../state/prompts';
import type { Principal } from '../../state/principals';
import type { Exchange, Stage } from '../exchange';
import { requestOf, variablesOf } from './prompt-request';

export interface PromptOptions {
  /** Of a rendered request. */
  readonly maxBytes: number;
}

/**
 * Puts the request that a saved prompt describes in the place of the one that named it, before anything is checked: from here
 * on it is a chat completion or a completion like any other. Other routes pass at once.
 */
export class PromptStage implements Stage {
  private readonly chat = targetOf('/chat/completions');
  private readonly text = targetOf('/completions');

  constructor(
    private readonly prompts: Prompts,
    private readonly validate: Stage,
    private readonly options: PromptOptions,
  ) {}

  run(exchange: Exchange): void | Promise<void> {
    return exchange.route.prompt === null ? this.validate.run(exchange) : this.render(exchange);
  }

  private async render(exchange: Exchange): Promise<void> {
    const { route } = exchange;
    const { document, version, compiled, partials } = await this.prompts.resolve(
      exchange.principal as Principal,
      referenceIn(route.upstreamPath),
    );
    exchange.prompt = {
      id: document.id,
      slug: document.slug,
      versionId: version.id,
      version: version.number,
    };
    const sent = exchange.body.length === 0 ? {} : exchange.json(parseJsonObject);
    const used = variablesIn([...compiled.templates, ...partials.values()]);
    const content = compiled.render({
      variables: variablesOf(version, used, sent),
      partial: (reference) => partials.get(reference),
      maxLength: this.options.maxBytes,
    });
    const isChat = compiled.shape === 'chat';
    const request = requestOf(version, used, isChat ? { messages: content } : { prompt: content }, sent);
    if (route.prompt === 'render') {
      const numbers = exactNumbers(exchange.body);
      exchange.rendered = Buffer.from(withExactNumbers({ success: true, data: request }, numbers));
      return;
    }
    this.replaceBody(exchange, request);
    const target = isChat ? this.chat : this.text;
    exchange.route = { ...target, name: route.name, scopes: route.scopes };
    useProvider(exchange, version.virtualKey);
    await this.validate.run(exchange);
  }

  private replaceBody(exchange: Exchange, request: JsonObject): void {
    const { maxBytes } = this.options;
    const body = Buffer.from(withExactNumbers(request, exactNumbers(exchange.body)));
    if (body.length > maxBytes) throw bodyTooLarge('MAX_BUFFERED_BODY', maxBytes, body.length);
    exchange.hold(body.length);
    exchange.replaceBody(body, request, shallowScan(body));
  }
}

/** The prompt's own provider, for a request that names none. */
function useProvider(exchange: Exchange, virtualKey: string | null): void {
  const { gw } = exchange;
  if (virtualKey !== null && gw.provider === null && gw.virtualKey === null) {
    exchange.gw = { ...gw, virtualKey };
  }
}

const targetOf = (path: string): Route => routeOf('POST', path);

/** `pp-name@2` of `/prompts/pp-name%402/completions`. What can't be decoded names nothing. */
function referenceIn(path: string): string {
  const encoded = path.split('/')[2] ?? '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}
