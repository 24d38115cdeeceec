import { memo, type ReactElement } from 'react';
import { problemFrom, type ResponseOf } from '../../../api';
import { GoLink, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { recordWords } from '../../audit/record-words';
import { amountWords } from '../../fields/limit-words';
import { Meter } from '../../../ui/charts';
import { Badge, Duration, Moment, Percent, ProviderMark, type Tone } from '../../../ui/primitives';
import { Empty, Failed, Loaded, Pane, Skeletons } from '../../../ui/states';
import { nearest, runsOut, type Budgeted } from '../../../needs/budgets';
import type { Resources } from '../../../needs/use-needs';
import { useSteady } from '../../../live/use-window';
import { changesOf } from './first-reads';

const SHOWN = 5;

interface BudgetsPaneProps extends Pick<Resources, 'budgets'> {
  readonly isLoading: boolean;
  /** Error of a read of keys or providers; null for none. */
  readonly problem: unknown;
}

function BudgetsPaneOf({ budgets, isLoading, problem }: BudgetsPaneProps): ReactElement {
  const text = home.budgets;
  return (
    <Pane title={text.title}>
      {problem !== null && <Failed problem={problemFrom(problem)} />}
      {budgets.length === 0 &&
        problem === null &&
        (isLoading ? <Skeletons shape="lines" /> : <Empty title={text.none}>{text.noneText}</Empty>)}
      <div className="col">
        {nearest(budgets, SHOWN).map((budget) => (
          <BudgetMeter key={`${budget.kind} ${budget.id}`} budget={budget} />
        ))}
      </div>
    </Pane>
  );
}

/** Pane of the budgets with the highest used share. */
export const BudgetsPane = memo(BudgetsPaneOf);

function BudgetMeter({ budget }: { readonly budget: Budgeted }): ReactElement {
  const { limit, kind, name, id } = budget;
  const { slug } = useWorkspace();
  const text = home.budgets;
  const owner = `/w/${encodeURIComponent(slug)}/${kind === 'key' ? 'keys' : 'providers'}/${encodeURIComponent(id)}`;
  const amount = (value: number): string => amountWords(limit.type, value);
  const words = text.used(amount(limit.current_usage ?? 0), amount(limit.credit_limit));
  return (
    <Meter
      label={text.of(text.kinds[kind], name)}
      used={limit.current_usage ?? 0}
      limit={limit.credit_limit}
      alertAt={limit.alert_threshold}
      value={
        <GoLink to={owner} className="private">
          {words}
        </GoLink>
      }
      valueText={words}
      size="small"
    >
      {runsOut(budget) ? (
        <span className="home-warn">
          {limit.status === 'exhausted' || limit.forecast_exhausted_at == null ? (
            text.exhausted
          ) : (
            <>
              {text.runsOut} <Moment at={limit.forecast_exhausted_at} />
            </>
          )}
        </span>
      ) : (
        limit.next_usage_reset_at !== null && (
          <>
            {text.lasts} <Moment at={limit.next_usage_reset_at} />
          </>
        )
      )}
    </Meter>
  );
}

const stateOf = (success: number): { readonly tone: Tone; readonly word: string } => {
  if (success >= 98) return { tone: 'ok', word: home.providers.well };
  return success >= 90
    ? { tone: 'warn', word: home.providers.someFail }
    : { tone: 'danger', word: home.providers.failing };
};

interface ProvidersPaneProps extends Pick<Resources, 'problem'> {
  readonly all: Resources['providers'];
}

function ProvidersPaneOf({ all, problem }: ProvidersPaneProps): ReactElement {
  // Requests that a limit or guardrail refused, and requests with the caller's own provider key,
  // have no saved provider.
  const providers = all?.filter(({ group_key: key }) => key !== null);
  const { slug } = useWorkspace();
  const text = home.providers;
  return (
    <Pane title={text.title} padding="flush" actions={<span className="xs muted">{text.lastHour}</span>}>
      {providers === undefined &&
        (problem === null ? <Skeletons shape="lines" /> : <Failed problem={problemFrom(problem)} />)}
      {providers?.length === 0 && <Empty title={text.none} />}
      {providers !== undefined && providers.length > 0 && (
        <table className="home-table">
          <thead>
            <tr>
              <th scope="col">{text.provider}</th>
              <th scope="col">{text.success}</th>
              <th scope="col">{text.p95}</th>
              <th scope="col">{text.state}</th>
            </tr>
          </thead>
          <tbody>
            {providers.map(({ group_key: key, success_rate: success = 100, p95_latency: p95 = null }) => (
              <tr key={key ?? ''}>
                <td>
                  <ProviderMark provider={key}>
                    <GoLink to={`/w/${encodeURIComponent(slug)}/providers/${encodeURIComponent(key ?? '')}`}>
                      @{key}
                    </GoLink>
                  </ProviderMark>
                </td>
                <td>
                  <Percent ratio={success / 100} />
                </td>
                <td>
                  <Duration ms={p95} />
                </td>
                <td>
                  <Badge tone={stateOf(success).tone}>{stateOf(success).word}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Pane>
  );
}

/** Pane of the providers of the last hour with success rate and latency. */
export const ProvidersPane = memo(ProvidersPaneOf);

/** Pane of the last changes of the workspace, for callers who may read the audit log. */
export function ChangesPane(): ReactElement {
  const { id: workspace_id } = useWorkspace();
  const text = home.changes;
  const query = useSteady('auditLogs_list', changesOf(workspace_id));
  return (
    <Pane title={text.title} padding="flush" actions={<GoLink to="/org/audit">{text.all}</GoLink>}>
      <Loaded
        query={query}
        problemOf={problemFrom}
        isEmpty={({ records }) => records.length === 0}
        empty={<Empty title={text.none} />}
      >
        {({ records }: ResponseOf<'auditLogs_list'>) => (
          <ul className="home-rows">
            {records.map((record) => (
              <li key={record.id} className="home-change">
                <Moment at={record.timestamp} />
                <span className="grow ell private" title={recordWords(record)}>
                  {recordWords(record)}
                </span>
                {record.response_status_code >= 400 && (
                  <Badge tone="warn">{record.response_status_code}</Badge>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Pane>
  );
}
