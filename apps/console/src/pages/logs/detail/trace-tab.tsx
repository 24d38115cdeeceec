import { useDeferredValue, useMemo, type ReactElement } from 'react';
import { problemFrom, useRead, type AnswerOf } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { Duration, Id, Money, ProviderMark, StatusBadge, type Priced } from '../../../ui/primitives';
import { Loaded, Part } from '../../../ui/states';
import { cutWord } from '../list/happened';
import { FilterBy } from './filter-by';
import { costOf, type LogDetail } from './record';

type Tree = AnswerOf<'logs_trace'>['spans'][number];

interface Props {
  readonly log: LogDetail;
  readonly onOpen: (id: string) => void;
}

/** Deeper spans are drawn at this depth. */
const DEPTH_MAX = 12;
/** Spans that are drawn at once: more than fit a screen. */
const FIRST = 60;
const FRESH_MS = 10_000;

/** The logs of the trace as a tree, this one marked. */
export function TraceTab({ log, onOpen }: Props): ReactElement {
  const trace = useRead('logs_trace', { path: { traceId: log.trace_id } }, { staleTime: FRESH_MS });
  return (
    <div className="col">
      <p className="row xs">
        <FilterBy field="trace" value={log.trace_id}>
          <Id id={log.trace_id} full />
        </FilterBy>
      </p>
      <Loaded query={trace} problemOf={problemFrom}>
        {({ spans, truncated }) => (
          <>
            {truncated && <Part>{logDetail.trace.truncated}</Part>}
            <Spans trees={spans} own={log.id} onOpen={onOpen} />
          </>
        )}
      </Loaded>
    </div>
  );
}

interface Span {
  readonly log: Tree['log'];
  readonly depth: number;
}

/** The tree in the order of its drawing. Trees of hostile ids may be deep, so this does not recurse. */
function flat(spans: readonly Tree[]): readonly Span[] {
  const shown: Span[] = [];
  const waiting = spans.map((tree) => ({ tree, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { tree, depth } = next;
    shown.push({ log: tree.log, depth });
    for (const child of tree.children.toReversed()) waiting.push({ tree: child, depth: depth + 1 });
  }
  return shown;
}

interface SpansProps {
  readonly trees: readonly Tree[];
  readonly own: string;
  readonly onOpen: (id: string) => void;
}

function Spans({ trees, own, onOpen }: SpansProps): ReactElement {
  const spans = useMemo(() => flat(trees), [trees]);
  const first = useMemo(() => spans.slice(0, FIRST), [spans]);
  // The others are drawn when these are seen.
  const drawn = useDeferredValue(spans, first);
  return (
    <ol className="log-trace" aria-label={logDetail.trace.label} aria-busy={drawn !== spans || undefined}>
      {drawn.map(({ log, depth }) => (
        <li key={log.id} style={{ paddingLeft: Math.min(depth, DEPTH_MAX) * 16 }}>
          <button
            type="button"
            className="plain-button log-span row"
            aria-current={log.id === own || undefined}
            onClick={() => onOpen(log.id)}
          >
            <StatusBadge status={log.response_status_code} word={cutWord(log)} />
            <span className="ell grow">
              <ProviderMark provider={log.provider}>{log.span_name ?? log.model ?? log.route}</ProviderMark>
            </span>
            <Duration ms={log.response_time} />
            <Money e8={costOf(log)} as="human" priced={log.priced as Priced} />
          </button>
        </li>
      ))}
    </ol>
  );
}
