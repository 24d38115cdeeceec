import type { Citation, Part } from '../call';
import type { Candidate, Finish, Logprob, ModelResponse, StreamEvent, TokenUsage } from '../response';

type Of<T extends StreamEvent['t']> = Extract<StreamEvent, { t: T }>;
type Filling = Of<'text' | 'args' | 'seal' | 'cite' | 'data'>;

/**
 * Folds the events of a complete stream into the response that a call without `stream` would have
 * returned.
 */
export function fold(events: Iterable<StreamEvent>): ModelResponse {
  const folded = new FoldedResponse();
  for (const event of events) folded.take(event);
  return folded.response();
}

class FoldedResponse {
  private head = { id: '', model: '', created: 0 };
  private usage: TokenUsage | undefined;
  private readonly parts = new Map<number, { part: Part; readonly candidate: number }>();
  private readonly finishes = new Map<number, Finish>();
  private readonly logprobs = new Map<number, Logprob[]>();
  /** Citations by the numbers of their blocks. */
  private readonly citations = new Map<number, Citation[]>();

  take(event: StreamEvent): void {
    if (event.t === 'start') this.start(event);
    else if (event.t === 'open') this.parts.set(event.i, { part: event.part, candidate: event.c });
    else if (event.t === 'usage') this.usage = event.usage;
    else if (event.t === 'finish') this.finishes.set(event.c, event.finish);
    else if (event.t === 'logprobs') this.addLogprobs(event);
    else if (isFilling(event)) this.fill(event);
  }

  response(): ModelResponse {
    const parts = new Map<number, Part[]>();
    for (const [i, { part, candidate }] of this.parts) {
      const known = parts.get(candidate);
      if (known === undefined) parts.set(candidate, [this.whole(i, part)]);
      else known.push(this.whole(i, part));
    }
    const candidates = [...this.finishes].map(([index, finish]): Candidate => {
      const logprobs = this.logprobs.get(index);
      return {
        index,
        parts: parts.get(index) ?? [],
        finish,
        ...(logprobs === undefined ? {} : { logprobs }),
      };
    });
    return { ...this.head, candidates, ...(this.usage === undefined ? {} : { usage: this.usage }) };
  }

  private start({ id, model, created, usage }: Of<'start'>): void {
    this.head = { id, model, created };
    this.usage = usage;
  }

  private addLogprobs({ c, items }: Of<'logprobs'>): void {
    const known = this.logprobs.get(c);
    if (known === undefined) this.logprobs.set(c, [...items]);
    else for (const item of items) known.push(item);
  }

  private fill(event: Filling): void {
    const open = this.parts.get(event.i);
    if (open === undefined) return;
    if (event.t === 'cite') this.cite(event);
    else open.part = filled(open.part, event);
  }

  private cite({ i, citation }: Of<'cite'>): void {
    const known = this.citations.get(i);
    if (known === undefined) this.citations.set(i, [citation]);
    else known.push(citation);
  }

  /** Returns a part with its citations. */
  private whole(i: number, part: Part): Part {
    const citations = this.citations.get(i);
    return part.kind === 'text' && citations !== undefined
      ? { ...part, citations: [...(part.citations ?? []), ...citations] }
      : part;
  }
}

const FILLINGS: ReadonlySet<string> = new Set(['text', 'args', 'seal', 'cite', 'data']);
const isFilling = (event: StreamEvent): event is Filling => FILLINGS.has(event.t);

function filled(part: Part, event: Exclude<Filling, { t: 'cite' }>): Part {
  switch (event.t) {
    case 'text':
      return 'text' in part ? { ...part, text: part.text + event.text } : part;
    case 'args':
      return part.kind === 'tool_call' ? { ...part, args: part.args + event.json } : part;
    case 'seal':
      return sealed(part, event);
    case 'data':
      return withData(part, event);
  }
}

const sealed = (part: Part, { seal }: Of<'seal'>): Part =>
  part.kind === 'reasoning' || part.kind === 'tool_call' || part.kind === 'text' ? { ...part, seal } : part;

const withData = (part: Part, { base64 }: Of<'data'>): Part =>
  part.kind === 'media' && part.source.at === 'base64'
    ? { ...part, source: { at: 'base64', data: part.source.data + base64 } }
    : part;
