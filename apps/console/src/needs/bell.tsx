import { ActionIcon, Popover } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { problemFrom } from '../api';
import { usePageIsRead, useSelf, type Workspace } from '../app';
import { needs as text } from '../messages';
import { Icon } from '../ui/icons/icon';
import { Empty, Failed, Part, Skeletons } from '../ui/states';
import { NeedRow } from './need-row';
import { forgetOver, inWorkspaceOf, keyOfNeed, markRead, readNeeds } from './read-needs';
import { useNeeds } from './use-needs';

interface BellProps {
  readonly workspace: Workspace;
  /** True when the user opened the bell before its code was loaded. */
  readonly isWanted: boolean;
}

/**
 * The alerts of a workspace, which are those of *Needs you* on Home. An alert that was shown counts
 * as read for this user and browser.
 */
export function Bell({ workspace, isWanted }: BellProps): ReactElement {
  const { id: user } = useSelf();
  const { needs, isLoading, isPartial, problem } = useNeeds(workspace.id, usePageIsRead());
  const [isOpen, setOpen] = useState(isWanted);
  const [read, setRead] = useState(() => readNeeds(user));
  const isWhole = !isLoading && problem === null;
  useEffect(() => {
    if (isWhole) setRead(forgetOver(user, workspace.id, needs));
  }, [isWhole, user, workspace.id, needs]);
  const fresh = useMemo(
    () => needs.filter((need) => !read.has(inWorkspaceOf(workspace.id, need))),
    [needs, read, workspace.id],
  );
  const change = (opens: boolean): void => {
    setOpen(opens);
    // Marks alerts as read on close, so that new ones stay highlighted while the bell is open.
    if (!opens) setRead(markRead(user, workspace.id, needs));
  };
  return (
    <Popover opened={isOpen} onChange={change} position="bottom-end" width={420} trapFocus>
      <Popover.Target>
        <ActionIcon
          className="bell"
          aria-label={text.bell(fresh.length)}
          data-new={fresh.length > 0 || undefined}
          onClick={() => change(!isOpen)}
        >
          <Icon name="bell" />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className="bell-list">
        <h2>{text.title}</h2>
        {problem !== null && <Failed problem={problemFrom(problem)} />}
        {needs.length === 0 &&
          problem === null &&
          (isLoading ? <Skeletons shape="lines" /> : <Empty title={text.none} icon="check" />)}
        <ul>
          {needs.map((need) => (
            <NeedRow key={keyOfNeed(need)} need={need} slug={workspace.slug} isNew={fresh.includes(need)} />
          ))}
        </ul>
        {isPartial && <Part>{text.part}</Part>}
      </Popover.Dropdown>
    </Popover>
  );
}
