import { StreamGuard, type Dialect } from '@gw/guardrails';
import type { RequestContext } from '../../core/request-context';
import type { Flow, Reply, Settle } from '../../reply/reply';
import { CompletionsDialect } from './completions-dialect';
import { GeminiDialect } from './gemini-dialect';
import type { GuardedRequest, GuardReports } from '../guarded-request';
import { GuardedReply } from './guarded-reply';
import { isAsync, type GuardTools } from '../guarded-request';
import { MessagesDialect } from './messages-dialect';
import { ResponsesDialect } from './responses-dialect';
import type { StreamDialect } from './stream-dialect';

const DIALECTS: Readonly<Partial<Record<Dialect, () => StreamDialect>>> = {
  chat: () => new CompletionsDialect(true),
  completions: () => new CompletionsDialect(false),
  messages: () => new MessagesDialect(),
  gemini: () => new GeminiDialect(),
  responses: () => new ResponsesDialect(),
};

export const dialectFor = (dialect: Dialect): StreamDialect | null => DIALECTS[dialect]?.() ?? null;

/** Whether events of a dialect can be judged while they are forwarded. */
export const isStreamed = (dialect: Dialect): boolean => DIALECTS[dialect] !== undefined;

/** A stream that guardrails judge while it is forwarded. */
export class GuardedStream {
  readonly kind = 'stream';

  constructor(
    private readonly guarding: GuardReports,
    private readonly tools: GuardTools,
    private readonly guarded: GuardedRequest,
    /** When true, the client also receives the verdicts of a stream that passes. */
    private readonly showsResults: boolean,
  ) {}

  reply(context: RequestContext, settle: Settle, flow: Flow | null, keepBytes: number): Reply {
    const { facts, request, verdict, output } = this.guarded;
    const dialect = dialectFor(facts.dialect) ?? new CompletionsDialect(true);
    const guard = new StreamGuard({ ...this.tools, guardrails: output, facts, request });
    if (output.some(isAsync)) this.guarding.judgeAtEnd(() => guard.judgeBeside());
    return new GuardedReply(context, settle, flow, keepBytes, {
      guard,
      dialect,
      before: verdict,
      showsResults: this.showsResults,
      note: (results) => this.guarding.note('output', results),
    });
  }
}
