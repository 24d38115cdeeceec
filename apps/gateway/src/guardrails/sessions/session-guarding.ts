import type {
  CheckKind,
  CompiledGuardrail,
  GuardrailResult,
  GuardrailRunner,
  GuardrailStage,
  GuardrailPort,
  RequestFacts,
  StageVerdict,
  Subject,
} from '@gw/guardrails';
import type { GuardrailLists } from '../guardrails';

/** What runs guardrails. */
export interface Judges {
  readonly world: GuardrailPort;
  readonly runner: GuardrailRunner;
}

/** What judges which part of a session. */
export interface SessionLists {
  /** The handshake, and what events set for the session or a response: nothing of these changes anything. */
  readonly parameters: readonly CompiledGuardrail[];
  /** The messages of the client. */
  readonly input: readonly CompiledGuardrail[];
  /** The messages of the provider. */
  readonly output: readonly CompiledGuardrail[];
}

/** The guardrails of one session. */
export interface SessionGuarding extends SessionLists {
  readonly tools: Judges;
  readonly facts: RequestFacts;
  /** Of the handshake. */
  readonly before: StageVerdict;
  readonly note: (stage: GuardrailStage, results: readonly GuardrailResult[]) => void;
  /** Runs the asynchronous ones. */
  readonly watchStream: (start: () => Promise<readonly GuardrailResult[]> | null) => void;
  readonly watch: (stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject) => void;
}

const OF_MESSAGES: ReadonlySet<CheckKind> = new Set(['text', 'webhook']);

export function sessionLists({ input, output }: GuardrailLists): SessionLists {
  return {
    parameters: only(
      input,
      ({ definition, prepared }) => !OF_MESSAGES.has(definition.kind) && prepared.transforms !== true,
    ),
    input: only(input, ({ definition }) => OF_MESSAGES.has(definition.kind)),
    output,
  };
}

const only = (
  guardrails: readonly CompiledGuardrail[],
  takes: (check: CompiledGuardrail['input'][number]) => boolean,
): readonly CompiledGuardrail[] =>
  guardrails
    .map((guardrail) => ({ ...guardrail, input: guardrail.input.filter(takes) }))
    .filter(({ input }) => input.length > 0);
