import { memo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react';
import { logDetail } from '../../../messages/en/log-detail';
import { readStored, writeStored } from '../../../ui/stored';
import { LogView } from './log-view';

const KEY = 'logs:panel';
const [WIDTH_MIN, WIDTH_USUAL] = [360, 502];
/** Maximum width of the panel as a share of the window. */
const SHARE_MAX = 0.7;
const STEP = 24;

export interface LogPanelProps {
  readonly id: string;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  /** Opens the next or the previous log of the list. */
  readonly onStep: (by: 1 | -1) => void;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/**
 * Panel of the open log to the right of the list. Its edge can be dragged or moved with the arrow
 * keys.
 */
function LogPanelOf(props: LogPanelProps): ReactElement {
  const { width, edge } = usePanelWidth();
  return (
    <aside className="logs-panel" aria-label={logDetail.view.panel} style={{ width }}>
      <div
        className="logs-panel-edge"
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={logDetail.view.width}
        aria-valuenow={width}
        aria-valuemin={WIDTH_MIN}
        {...edge}
      />
      <LogView key={props.id} {...props} />
    </aside>
  );
}

/** Panel of the open log, memoised by log and tab. */
export const LogPanel = memo(LogPanelOf);

function usePanelWidth() {
  const [width, setWidth] = useState(() => {
    const stored = readStored(KEY);
    return typeof stored === 'number' && stored >= WIDTH_MIN ? stored : WIDTH_USUAL;
  });
  const dragged = useRef<number | null>(null);
  const change = (next: number): void => {
    const bounded = Math.round(Math.min(globalThis.innerWidth * SHARE_MAX, Math.max(WIDTH_MIN, next)));
    setWidth(bounded);
    writeStored(KEY, bounded);
  };
  const edge = {
    onPointerDown: (event: PointerEvent) => {
      dragged.current = event.clientX + width;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      if (dragged.current !== null) change(dragged.current - event.clientX);
    },
    onPointerUp: () => {
      dragged.current = null;
    },
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'ArrowLeft') change(width + STEP);
      else if (key === 'ArrowRight') change(width - STEP);
    },
  };
  return { width, edge };
}
