import type { ReactElement, ReactNode } from 'react';
import { Failed, type ShownProblem } from './failed';
import { Skeletons } from './skeletons';
import { Gone, NotAllowed, Stale, Updating } from './states';

/** Members of a TanStack query that `Loaded` uses. */
export interface LoadedQuery<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
  /** True when `data` is the response of an earlier query, for example with other filters. */
  readonly isPlaceholderData?: boolean;
  readonly dataUpdatedAt?: number;
  readonly refetch?: () => unknown;
}

export interface LoadedProps<T> {
  readonly query: LoadedQuery<T>;
  /** Converts an error of the query to the shown problem. */
  readonly problemOf: (error: unknown) => ShownProblem;
  readonly skeleton?: ReactNode;
  readonly isEmpty?: (data: T) => boolean;
  readonly empty?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/**
 * Renders the state of a query: loading, failed, not allowed, gone, empty, stale, updating or the
 * data. An empty response of an earlier query is shown as loading, because it does not tell whether
 * this query has data.
 */
export function Loaded<T>({
  query,
  problemOf,
  skeleton,
  isEmpty,
  empty,
  children,
}: LoadedProps<T>): ReactElement {
  const { data, error, isFetching, dataUpdatedAt, refetch } = query;
  const hasFailed = error !== null && error !== undefined;
  const hasNothing = data !== undefined && empty !== undefined && isEmpty?.(data) === true;
  if (data === undefined || (hasNothing && query.isPlaceholderData === true)) {
    if (!hasFailed) return <>{skeleton ?? <Skeletons shape="lines" />}</>;
    return <FailedQuery problem={problemOf(error)} {...(refetch === undefined ? {} : { refetch })} />;
  }
  const shown = hasNothing ? empty : children(data);
  return (
    <>
      <Updating active={isFetching} />
      {hasFailed ? (
        <Stale asOf={dataUpdatedAt ?? 0} reason={problemOf(error).message}>
          {shown}
        </Stale>
      ) : (
        shown
      )}
    </>
  );
}

function FailedQuery({
  problem,
  refetch,
}: {
  readonly problem: ShownProblem;
  readonly refetch?: () => unknown;
}): ReactElement {
  if (problem.status === 404) return <Gone />;
  if (problem.status === 403) return <NotAllowed missing={problem.message} />;
  return <Failed problem={problem} {...(refetch === undefined ? {} : { onRetry: () => void refetch() })} />;
}
