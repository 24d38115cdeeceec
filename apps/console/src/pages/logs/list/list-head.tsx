import { ActionIcon, Button } from '@mantine/core';
import type { ReactElement } from 'react';
import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import { ColumnMenu, type Column, type ColumnChoice } from '../../../ui/grid';
import { Icon } from '../../../ui/icons/icon';
import { Badge, CopyButton, Dot, Kbd } from '../../../ui/primitives';
import { TEXT_MIN, type LogList } from './use-log-list';

export interface ListActionsProps {
  readonly list: LogList;
  readonly isLive: boolean;
  readonly onTail: () => void;
  readonly columns: readonly Column<LogRow>[];
  readonly choice: ColumnChoice<LogRow>;
  /** Returns an address with an absolute time range, which shows the same logs later. */
  readonly asOfNow: () => string;
}

/** Buttons to the right of the title: tail, refresh, columns and link. */
export function ListActions({
  list,
  isLive,
  onTail,
  columns,
  choice,
  asOfNow,
}: ListActionsProps): ReactElement {
  const off = list.tailOff;
  const title = off === null ? logs.tail.title(isLive) : logs.tail.off(off);
  return (
    <>
      <Button
        variant="default"
        onClick={onTail}
        disabled={off !== null && !isLive}
        aria-pressed={isLive}
        title={title}
        leftSection={<Icon name={isLive ? 'pause' : 'play'} size={14} />}
        rightSection={isLive ? <TailStatus list={list} /> : <Kbd keys="." />}
      >
        {logs.tail.button}
      </Button>
      <ActionIcon
        variant="default"
        onClick={list.refresh}
        aria-label={logs.refresh}
        title={logs.refreshTitle}
      >
        <Icon name="refresh" />
      </ActionIcon>
      <ColumnMenu columns={columns} choice={choice} />
      <CopyButton text={asOfNow} label={logs.copyLink} size="control" />
    </>
  );
}

function TailStatus({ list: { tail } }: { readonly list: LogList }): ReactElement {
  if (tail.status === 'live')
    return (
      <Badge tone="ok">
        <Dot live /> {logs.tail.status.live}
      </Badge>
    );
  return <Badge tone={tail.status === 'refused' ? 'danger' : 'warn'}>{logs.tail.status[tail.status]}</Badge>;
}

/**
 * Notes below the filters: the search text is too short, or the tail is refused, reconnecting or
 * incomplete.
 */
export function ListNotes({
  list: { tail },
  text,
}: {
  readonly list: LogList;
  readonly text: string;
}): ReactElement | null {
  const { status, problem, skipped, isSkippedExact } = tail;
  const length = text.trim().length;
  if (length > 0 && length < TEXT_MIN) return <Line text={logs.textShort(TEXT_MIN)} />;
  if (status === 'refused') return <Line text={logs.tail.refused(problem?.message ?? '')} />;
  if (status === 'waiting') return <Line text={logs.tail.waiting} />;
  if (skipped > 0 || !isSkippedExact) return <Line text={logs.tail.skipped(skipped, isSkippedExact)} />;
  return null;
}

const Line = ({ text }: { readonly text: string }): ReactElement => (
  <p className="part-line" role="status">
    <Icon name="info" size={14} /> <span>{text}</span>
  </p>
);
