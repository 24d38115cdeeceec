import { isObject } from '@gw/kernel';
import { listOf } from './json';
import type { ModelCaller } from './port';
import { answerPassages } from './text/answers';
import type { Dialect, Passage } from './text/passages';
import { requestPassages } from './text/requests';
import { select, type Scope } from './text/scope';
import { withEdits } from './text/with-edits';
import { Work } from './work';

export type GuardrailStage = 'input' | 'output';

/** What a guardrail sees of one request, apart from its body. */
export interface RequestFacts {
  readonly dialect: Dialect;
  /** As `allowedRequestTypes` names it: `chatComplete`, `embed`, `proxy`, … */
  readonly requestType: string;
  /** Sent to the provider as it came: only webhooks with `executeOnProxy`, and checks that need no webhook, act on it. */
  readonly isPassthrough: boolean;
  /** Of a passthrough request whose path is one that we know: the kind that a request to our own route would have. */
  readonly pathType?: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly contentType: string | null;
  readonly provider: string | null;
  /** Slug of the saved provider; absent where the request names its own. */
  readonly savedProvider?: string;
  /** As the client named it, without the saved provider. */
  readonly model: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The client's headers, names in lower case. Checks see them; nothing but `forwardHeaders` leaves with them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isStreaming: boolean;
  /** Calls models for its checks. Absent: no model can be called here. */
  readonly models?: ModelCaller;
  /** What the checks of the request may still do. Absent: each subject has as much as a request. */
  readonly work?: Work;
}

/** What goes to the provider, or came from it, as a guardrail sees it. Never changed: an edit makes another subject. */
export class Subject {
  private readonly found = new Map<string, readonly number[]>();
  private collected: readonly Passage[] | null = null;
  private length: number | null = null;

  private constructor(
    readonly stage: GuardrailStage,
    readonly facts: RequestFacts,
    /** The request's body, parsed; null where it is not JSON. */
    readonly request: unknown,
    /** The answer's body, parsed; null before there is one, and where it is not JSON. */
    readonly response: unknown,
    readonly responseStatus: number | null,
    /** A guardrail has changed the body. */
    readonly isTransformed: boolean,
    /** Of all checks of the request. */
    readonly work: Work,
  ) {}

  static input(facts: RequestFacts, request: unknown): Subject {
    return new Subject('input', facts, request, null, null, false, workOf(facts));
  }

  static output(facts: RequestFacts, request: unknown, response: unknown, status: number): Subject {
    return new Subject('output', facts, request, response, status, false, workOf(facts));
  }

  /** The body that this stage judges. */
  get body(): unknown {
    return this.stage === 'input' ? this.request : this.response;
  }

  /** All texts of the body. Throws `BodyTooLarge`. */
  passages(): readonly Passage[] {
    this.collected ??=
      this.body === null
        ? []
        : (this.stage === 'input' ? requestPassages : answerPassages)(this.facts.dialect, this.body);
    return this.collected;
  }

  /** Positions of the passages that scopes select. Every choice of an answer and every input of a list is a last message. */
  selected(scopes: readonly Scope[]): readonly number[] {
    const key = scopes.join();
    let positions = this.found.get(key);
    if (!positions) {
      positions = select(this.passages(), scopes, !this.hasOneLastMessage());
      this.found.set(key, positions);
    }
    return positions;
  }

  /** What the scopes select, joined by message or choice. */
  texts(scopes: readonly Scope[]): readonly string[] {
    const passages = this.passages();
    const texts: string[] = [];
    let unit = -1;
    for (const position of this.selected(scopes)) {
      const passage = passages[position];
      if (!passage) continue;
      if (passage.unit === unit) texts[texts.length - 1] += `\n${passage.text}`;
      else texts.push(passage.text);
      unit = passage.unit;
    }
    return texts;
  }

  /** Part of the input is numbers of a tokenizer, which no check can read. */
  hasTokens(): boolean {
    if (this.stage === 'output' || !isObject(this.request)) return false;
    const { dialect } = this.facts;
    if (dialect !== 'embeddings' && dialect !== 'completions') return false;
    return listOf(this.request[dialect === 'embeddings' ? 'input' : 'prompt']).some(
      (item) => typeof item === 'number' || (Array.isArray(item) && item.length > 0),
    );
  }

  /** Characters of all texts. */
  size(): number {
    if (this.length === null) {
      this.length = 0;
      for (const { text } of this.passages()) this.length += text.length;
    }
    return this.length;
  }

  /** With other texts in the place of some, by their position. What none of them is in is shared with this body. */
  edited(edits: ReadonlyMap<number, string>): Subject {
    const passages = this.passages();
    const changes = [...edits].flatMap(([position, text]) => {
      const passage = passages[position];
      return passage ? [{ holder: passage.holder, key: passage.key, text }] : [];
    });
    return this.withBody(withEdits(this.body, changes));
  }

  /** With another body. */
  withBody(body: unknown): Subject {
    const request = this.stage === 'input' ? body : this.request;
    const response = this.stage === 'output' ? body : this.response;
    return new Subject(this.stage, this.facts, request, response, this.responseStatus, true, this.work);
  }

  private hasOneLastMessage(): boolean {
    const { dialect } = this.facts;
    return this.stage === 'input' && ONE_LAST_MESSAGE.has(dialect);
  }
}

const workOf = ({ work }: RequestFacts): Work => work ?? new Work('');

const ONE_LAST_MESSAGE: ReadonlySet<Dialect> = new Set(['chat', 'messages', 'responses', 'realtime']);
