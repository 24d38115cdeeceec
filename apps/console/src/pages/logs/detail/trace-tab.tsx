import { useDeferredValue, useMemo, type ReactElement } from 'react';
import { problemFrom, useRead, type ResponseOf } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { Duration, Id, Money, ProviderMark, StatusBadge, type Priced } from '../../../ui/primitives';
import { Loaded, Part } from '../../../ui/states';
import { cutWord } from '../list/happened';
import { FilterBy } from './filter-by';
import { costOf, type LogDetail } from './record';

type Tree = ResponseOf<'logs_trace'>['spans'][number];

interface Props {
  readonly log: LogDetail;
  readonly onOpen: (id: string) => void;
}

/** Maximum indentation; deeper spans are indented this much. */
const DEPTH_MAX = 12;
/** Number of spans of the first render, which is more than fit on a screen. */
const FIRST = 60;
const FRESH_MS = 10_000;

/** Tab with the logs of the trace as a tree, in which the open log is marked. */
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
            <Spans trees={spans} openId={log.id} onOpen={onOpen} />
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

/**
 * Flattens the trees in display order. Not recursive, because hostile span ids can make a tree very
 * deep.
 */
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
  readonly openId: string;
  readonly onOpen: (id: string) => void;
}

function Spans({ trees, openId, onOpen }: SpansProps): ReactElement {
  const spans = useMemo(() => flat(trees), [trees]);
  const first = useMemo(() => spans.slice(0, FIRST), [spans]);
  // The remaining spans render after the first ones are visible.
  const drawn = useDeferredValue(spans, first);
  return (
    <ol className="log-trace" aria-label={logDetail.trace.label} aria-busy={drawn !== spans || undefined}>
      {drawn.map(({ log, depth }) => (
        <li key={log.id} style={{ paddingLeft: Math.min(depth, DEPTH_MAX) * 16 }}>
          <button
            type="button"
            className="plain-button log-span row"
            aria-current={log.id === openId || undefined}
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
