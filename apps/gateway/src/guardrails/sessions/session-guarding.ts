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

/** The parts that run guardrails. */
export interface Judges {
  readonly port: GuardrailPort;
  readonly runner: GuardrailRunner;
}

/** The guardrails for each part of a session. */
export interface SessionLists {
  /** Guardrails on the handshake and on parameters in events; they cannot change a message. */
  readonly parameters: readonly CompiledGuardrail[];
  /** Guardrails on client messages. */
  readonly input: readonly CompiledGuardrail[];
  /** Guardrails on provider messages. */
  readonly output: readonly CompiledGuardrail[];
}

/** The guardrails of one session. */
export interface SessionGuarding extends SessionLists {
  readonly tools: Judges;
  readonly facts: RequestFacts;
  /** Verdict on the handshake. */
  readonly before: StageVerdict;
  readonly note: (stage: GuardrailStage, results: readonly GuardrailResult[]) => void;
  /** Runs asynchronous guardrails on a response. */
  readonly watchStream: (start: () => Promise<readonly GuardrailResult[]> | null) => void;
  readonly watch: (stage: GuardrailStage, guardrails: readonly CompiledGuardrail[], subject: Subject) => void;
}

const MESSAGE_KINDS: ReadonlySet<CheckKind> = new Set(['text', 'webhook']);

export function sessionLists({ input, output }: GuardrailLists): SessionLists {
  return {
    parameters: only(
      input,
      ({ definition, prepared }) => !MESSAGE_KINDS.has(definition.kind) && prepared.transforms !== true,
    ),
    input: only(input, ({ definition }) => MESSAGE_KINDS.has(definition.kind)),
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
