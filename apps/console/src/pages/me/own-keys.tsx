import { queryOptions, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { call, type Problem } from '../../api';
import { useSelf, type Workspace } from '../../app';
import { me } from '../../messages';
import { Moment } from '../../ui/primitives';
import { Empty, Failed, Pane, Part, Skeletons } from '../../ui/states';
import { BudgetMeter } from '../fields/budget-meter';
import { leftWords, ratesWords } from '../fields/limit-words';
import { KeyStatus } from '../keys/key-columns';
import type { ApiKey } from '../keys/key-types';
import { MeFrame } from './frame';

const PAGE_SIZE = 100;
/** Maximum number of pages of a workspace's keys that are read. */
const PAGES_MAX = 10;
/** Maximum number of workspaces whose keys are read. */
const WORKSPACES_MAX = 20;

interface OwnKey {
  readonly key: ApiKey;
  readonly workspace: Workspace;
}

/** Keys of a user in one workspace. `isPart` is true when the workspace has more than were read. */
interface KeysOfUser {
  readonly keys: readonly ApiKey[];
  readonly isPart: boolean;
}

/** Reads the keys of a user. The list of the API has no filter for them. */
async function keysOfUser(user: string, workspace_id: string, signal: AbortSignal): Promise<KeysOfUser> {
  const keys: ApiKey[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { workspace_id, page_size: PAGE_SIZE, current_page: page };
    const { data } = await call('apiKeys_list', { query }, { signal });
    keys.push(...data.data.filter(({ user_id }) => user_id === user));
    if ((page + 1) * PAGE_SIZE >= data.total) return { keys, isPart: false };
  }
  return { keys, isPart: true };
}

/**
 * The caller's own keys in every workspace, with their limits. Says where keys may be missing,
 * because a list was too long or could not be read.
 */
export function OwnKeysPage(): ReactElement {
  const self = useSelf();
  const workspaces = self.workspaces.slice(0, WORKSPACES_MAX);
  const lists = useQueries({
    queries: workspaces.map(({ id }) =>
      queryOptions<KeysOfUser, Problem>({
        queryKey: ['apiKeys_list', 'own', self.id, id],
        queryFn: ({ signal }) => keysOfUser(self.id, id, signal),
      }),
    ),
  });
  const own = workspaces.flatMap((workspace, index): OwnKey[] =>
    (lists[index]?.data?.keys ?? []).map((key) => ({ key, workspace })),
  );
  const cut = workspaces.filter((_, index) => lists[index]?.data?.isPart === true);
  const failed = workspaces.filter((_, index) => lists[index]?.error != null);
  const [first] = lists.flatMap(({ error }) => error ?? []);
  const retry = (): void => lists.forEach(({ error, refetch }) => void (error !== null && refetch()));
  return (
    <MeFrame section="keys">
      <p className="sub">{me.keysLead}</p>
      {failed.length > 0 && failed.length < workspaces.length && (
        <Part onGoOn={retry}>{me.part(failed.map(({ name }) => name))}</Part>
      )}
      {cut.length > 0 && (
        <Part>
          {me.cut(
            PAGES_MAX * PAGE_SIZE,
            cut.map(({ name }) => name),
          )}
        </Part>
      )}
      {self.workspaces.length > WORKSPACES_MAX && <Part>{me.firstWorkspaces(WORKSPACES_MAX)}</Part>}
      {lists.some(({ isPending }) => isPending) ? (
        <Skeletons shape="table" />
      ) : first !== undefined && failed.length === workspaces.length ? (
        <Failed problem={first} onRetry={retry} />
      ) : own.length === 0 ? (
        <Empty title={me.keysNone} icon="key" action={<CreateLink workspace={workspaces[0]} />}>
          {me.keysNoneHint}
        </Empty>
      ) : (
        <OwnKeys own={own} />
      )}
    </MeFrame>
  );
}

function CreateLink({ workspace }: { readonly workspace: Workspace | undefined }): ReactElement | null {
  if (workspace === undefined) return null;
  return (
    <Link to="/w/$ws/keys/new" params={{ ws: workspace.slug }}>
      {me.create}
    </Link>
  );
}

function OwnKeys({ own }: { readonly own: readonly OwnKey[] }): ReactElement {
  return (
    <Pane label={me.keysList}>
      <table className="me-table">
        <thead>
          <tr>
            {[me.key, me.workspace, me.budget, me.rates, me.expires].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {own.map(({ key, workspace }) => (
            <tr key={key.id}>
              <th scope="row">
                <Link to="/w/$ws/keys/$key" params={{ ws: workspace.slug, key: key.id }}>
                  {key.name}
                </Link>{' '}
                <KeyStatus status={key.status} />
              </th>
              <td>{workspace.name}</td>
              <td>
                <BudgetMeter limit={key.usage_limits} size="small" />
                {key.usage_limits !== null && <span className="xs">{leftWords(key.usage_limits)}</span>}
              </td>
              <td>{ratesWords(key.rate_limits)}</td>
              <td>{key.expires_at === null ? me.never : <Moment at={key.expires_at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Pane>
  );
}
