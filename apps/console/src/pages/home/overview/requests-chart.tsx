import { lazy, memo, Suspense, useMemo, type ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { recordWords } from '../../audit/record-words';
import { count } from '../../../ui/format';
import { Empty, Loaded, Pane, Skeletons } from '../../../ui/states';
import { useSteady, type Windows } from '../../../live/use-window';

// Lazy, so that the figures do not wait for the code of charts.
const TimeChart = lazy(async () => ({ default: (await import('../../../ui/charts/time-chart')).TimeChart }));

const text = home.chart;
const MARKERS = 20;

interface RequestsChartProps {
  readonly range: Windows;
  /** True to mark changes of configs. */
  readonly hasChanges: boolean;
  /** False to postpone rendering the chart. */
  readonly isDrawn: boolean;
  readonly onZoom: (from: number, to: number) => void;
}

/**
 * Chart of requests over time to models, MCP servers and agents, with marks at changes of configs.
 */
function RequestsChartOf({ range, hasChanges, isDrawn, onZoom }: RequestsChartProps): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const query = useSteady('analyticsGraphs_requests', { query: { workspace_id, ...range.now } });
  const changes = useSteady(
    'auditLogs_list',
    {
      query: {
        workspace_id,
        resource_type: 'configs',
        start_time: range.now.time_of_generation_min,
        end_time: range.now.time_of_generation_max,
        page_size: MARKERS,
      },
    },
    hasChanges,
  );
  const points = query.data?.data_points;
  const times = useMemo(() => (points ?? []).map(({ timestamp }) => Date.parse(timestamp)), [points]);
  const series = useMemo(
    () =>
      (['llm', 'mcp', 'a2a'] as const)
        .map((id) => ({ id, label: text.kinds[id], values: (points ?? []).map((point) => point[id]) }))
        .filter(({ id, values }) => id === 'llm' || values.some((value) => value > 0)),
    [points],
  );
  const markers = useMemo(
    () =>
      (changes.data?.records ?? [])
        // The audit log also has refused calls, which changed nothing.
        .filter(({ response_status_code: status }) => status < 400)
        .map((record) => ({ at: Date.parse(record.timestamp), label: recordWords(record) })),
    [changes.data],
  );
  const [first, second] = times;
  return (
    <Pane title={text.title} className="home-wide" resetKey={range.now.time_of_generation_min}>
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="chart" />}
        isEmpty={({ summary }) => summary.total === 0}
        empty={<Empty title={text.empty}>{text.emptyText}</Empty>}
      >
        {() =>
          !isDrawn ? (
            <Skeletons shape="chart" />
          ) : (
            <Suspense fallback={<Skeletons shape="chart" />}>
              <TimeChart
                label={text.title}
                times={times}
                bucketMs={first === undefined || second === undefined ? range.ms : second - first}
                series={series}
                format={count}
                markers={markers}
                onZoom={onZoom}
              />
            </Suspense>
          )
        }
      </Loaded>
    </Pane>
  );
}

export const RequestsChart = memo(RequestsChartOf);
