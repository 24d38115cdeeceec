import { act, fireEvent, render, screen } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';
import { ThemeProvider } from '../theme/theme-provider';
import {
  Empty,
  ErrorBoundary,
  Failed,
  Gone,
  Loaded,
  NotAllowed,
  Page,
  Pane,
  Part,
  Skeletons,
  Stale,
  type LoadedQuery,
} from '.';

const show = (node: ReactNode) => render(<ThemeProvider defaultScheme="light">{node}</ThemeProvider>);
const query = <T,>(part: Partial<LoadedQuery<T>>): LoadedQuery<T> => ({
  data: undefined,
  error: null,
  isFetching: false,
  ...part,
});
const problemOf = (error: unknown) => error as { message: string; status?: number };

function Broken({ fails }: { readonly fails: boolean }): ReactElement {
  if (fails) throw new Error('no chart today');
  return <p>chart</p>;
}

afterEach(() => jest.useRealTimers());

describe('Failed', () => {
  it('retries in time although its parent renders again and again', () => {
    jest.useFakeTimers();
    const retry = jest.fn();
    const problem = { message: 'slow down', status: 429, retryAfterS: 1 };
    const failed = () => (
      <ThemeProvider>
        <Failed problem={problem} onRetry={() => void retry()} />
      </ThemeProvider>
    );
    const { rerender } = render(failed());
    for (let renders = 0; renders < 4; renders += 1) {
      act(() => void jest.advanceTimersByTime(300));
      rerender(failed());
    }
    expect(retry).toHaveBeenCalledTimes(1);
  });

  it('shows the unchanged message with type, status and request id, and retries on click', () => {
    const retry = jest.fn();
    show(
      <Failed
        problem={{ message: 'no <b>route</b>', type: 'not_found', status: 500, requestId: 'req-1' }}
        onRetry={retry}
      />,
    );
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('no <b>route</b>');
    expect(alert.textContent).toContain('500not_foundreq-1');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledTimes(1);
  });

  it('counts down `Retry-After` and then retries once', () => {
    jest.useFakeTimers();
    const retry = jest.fn();
    show(<Failed problem={{ message: 'slow down', status: 429, retryAfterS: 2 }} onRetry={retry} />);
    expect(screen.getByRole('button').textContent).toBe('Try again (in 2 s)');
    act(() => void jest.advanceTimersByTime(1000));
    expect(screen.getByRole('button').textContent).toBe('Try again (in 1 s)');
    act(() => void jest.advanceTimersByTime(1000));
    expect(retry).toHaveBeenCalledTimes(1);
    act(() => void jest.advanceTimersByTime(10_000));
    expect(retry).toHaveBeenCalledTimes(1);
  });
});

describe('Loaded', () => {
  const children = (data: readonly string[]) => (
    <ul>
      {data.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
  const common = {
    problemOf,
    children,
    empty: <Empty title="No keys yet" />,
    isEmpty: (data: readonly string[]) => data.length === 0,
  };

  it('does not show the empty state before a response', () => {
    show(<Loaded query={query<string[]>({ isFetching: true })} {...common} />);
    expect(screen.queryByText('No keys yet')).toBeNull();
  });

  it('shows the empty state after an empty response', () => {
    show(<Loaded query={query({ data: [] })} {...common} />);
    expect(screen.getByText('No keys yet')).toBeTruthy();
  });

  it('shows an empty response of an earlier query as loading', () => {
    show(<Loaded query={query({ data: [], isPlaceholderData: true, isFetching: true })} {...common} />);
    expect(screen.queryByText('No keys yet')).toBeNull();
  });

  it('keeps old data while new data loads, and shows its time after an error', () => {
    const { rerender } = show(<Loaded query={query({ data: ['a'], isFetching: true })} {...common} />);
    expect(screen.getByText('Updating')).toBeTruthy();
    rerender(
      <ThemeProvider>
        <Loaded
          query={query({ data: ['a'], error: { message: 'no contact' }, dataUpdatedAt: 0 })}
          {...common}
        />
      </ThemeProvider>,
    );
    expect(screen.getByText(/as of .* · no contact/)).toBeTruthy();
    expect(screen.getByText('a')).toBeTruthy();
  });

  it.each([
    [404, 'Not here, or not yours.'],
    [403, 'You may not see this: keys.list is missing'],
    [500, 'keys.list is missing'],
  ])('shows the state of status %s', (status, text) => {
    show(
      <Loaded query={query<string[]>({ error: { message: 'keys.list is missing', status } })} {...common} />,
    );
    expect(screen.getByText(text)).toBeTruthy();
  });
});

describe('Pane', () => {
  it('limits an error of its content to itself', () => {
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const { rerender } = render(
      <ThemeProvider>
        <Pane title="Spend" resetKey={1}>
          <Broken fails />
        </Pane>
        <Pane title="Keys">keys</Pane>
      </ThemeProvider>,
    );
    expect(screen.getByRole('region', { name: 'Spend' }).textContent).toContain('no chart today');
    expect(screen.getByRole('region', { name: 'Keys' }).textContent).toContain('keys');
    rerender(
      <ThemeProvider>
        <Pane title="Spend" resetKey={2}>
          <Broken fails={false} />
        </Pane>
      </ThemeProvider>,
    );
    expect(screen.getByText('chart')).toBeTruthy();
    jest.restoreAllMocks();
  });
});

describe('other states', () => {
  it('show skeletons after 150 ms', () => {
    jest.useFakeTimers();
    show(<Skeletons shape="table" count={3} />);
    expect(document.querySelectorAll('.skeleton')).toHaveLength(0);
    expect(document.querySelectorAll('[data-loading]')).toHaveLength(1);
    act(() => void jest.advanceTimersByTime(150));
    expect(document.querySelectorAll('.skeleton')).toHaveLength(3);
    expect(document.querySelectorAll('[data-loading]')).toHaveLength(1);
  });

  it('show their texts and actions', () => {
    const goOn = jest.fn();
    show(
      <Page title="Logs">
        <ErrorBoundary>fine</ErrorBoundary>
        <Part onGoOn={goOn}>looked through 10,000 logs to 13:42</Part>
        <NotAllowed missing="logs.list">An admin can give it.</NotAllowed>
        <Gone archived>last</Gone>
        <Stale asOf={0} />
      </Page>,
    );
    expect(document.title).toBe('Logs · Tollgate');
    fireEvent.click(screen.getByRole('button', { name: 'Go on' }));
    expect(goOn).toHaveBeenCalled();
    expect(screen.getByText(/Archived/)).toBeTruthy();
  });
});
