import { exactNumbers, withExactNumbers } from '@gw/kernel';
import { variablesIn } from '@gw/prompts';
import { shallowScan, type JsonObject } from '@gw/providers';
import { withoutSlug } from '../attempt/targeting';
import { parseJsonObject, withinStack } from '../bodies/json-body';
import { bodyTooLarge } from '../bodies/read-body';
import { routeOf, type Route } from '../routes/route-table';
import type { Prompts, ResolvedPrompt } from './prompts';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext, Stage } from '../core/request-context';
import { requestOf, variablesOf } from './prompt-request';
import { RequestPrompt } from './request-prompt';

export interface PromptOptions {
  /** Maximum size of a rendered request in bytes. */
  readonly maxBytes: number;
}

/**
 * Replaces a request for a saved prompt by the request that the prompt describes, before any check:
 * afterwards it is an ordinary chat completion or completion. Requests on other routes pass
 * unchanged.
 */
export class PromptStage implements Stage {
  private readonly chat = targetOf('/chat/completions');
  private readonly text = targetOf('/completions');

  constructor(
    private readonly prompts: Prompts,
    private readonly options: PromptOptions,
  ) {}

  run(context: RequestContext): void | Promise<void> {
    return context.route.prompt === null ? undefined : this.render(context);
  }

  private async render(context: RequestContext): Promise<void> {
    const resolved = await this.prompts.resolve(
      context.principal as GatewayPrincipal,
      referenceIn(context.route.upstreamPath),
    );
    const { document, version } = resolved;
    const prompt = new RequestPrompt({
      id: document.id,
      slug: document.slug,
      versionId: version.id,
      version: version.number,
    });
    context.prompt = prompt;
    withinStack(() => {
      this.rewrite(context, prompt, resolved);
    });
  }

  /** Replaces the body by the request that the prompt describes, or stores that request. */
  private rewrite(
    context: RequestContext,
    prompt: RequestPrompt,
    { version, compiled, partials }: ResolvedPrompt,
  ): void {
    const { route } = context;
    const sent = context.body.length === 0 ? {} : context.json(parseJsonObject);
    const used = variablesIn([...compiled.templates, ...partials.values()]);
    const content = compiled.render({
      variables: variablesOf(version, used, sent),
      partial: (reference) => partials.get(reference),
      maxLength: this.options.maxBytes,
    });
    const isChat = compiled.shape === 'chat';
    const request = requestOf(version, used, isChat ? { messages: content } : { prompt: content }, sent);
    if (route.prompt === 'render') {
      const numbers = exactNumbers(context.body);
      prompt.rendered = Buffer.from(withExactNumbers({ success: true, data: request }, numbers));
      return;
    }
    this.replaceBody(context, request);
    const target = isChat ? this.chat : this.text;
    context.route = { ...target, name: route.name, scopes: route.scopes };
    if (!namesProvider(sent)) useProvider(context, version.virtualKey);
  }

  private replaceBody(context: RequestContext, request: JsonObject): void {
    const { maxBytes } = this.options;
    const body = Buffer.from(withExactNumbers(request, exactNumbers(context.body)));
    if (body.length > maxBytes) throw bodyTooLarge('MAX_BUFFERED_BODY', maxBytes, body.length);
    context.reserveMemory(body.length);
    context.replaceBody(body, request, shallowScan(body));
  }
}

/** Whether the caller's body names a saved provider, as `@slug/model`. */
const namesProvider = ({ model }: JsonObject): boolean =>
  typeof model === 'string' && withoutSlug(model) !== model;

/** Uses the prompt's own provider if the request names none. */
function useProvider(context: RequestContext, virtualKey: string | null): void {
  const { gw } = context;
  if (virtualKey !== null && gw.provider === null && gw.virtualKey === null) {
    context.gw = { ...gw, virtualKey };
  }
}

const targetOf = (path: string): Route => routeOf('POST', path);

/**
 * Returns `pp-name@2` of `/prompts/pp-name%402/completions`; empty, which matches no prompt, if it
 * cannot be decoded.
 */
function referenceIn(path: string): string {
  const encoded = path.split('/')[2] ?? '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}
