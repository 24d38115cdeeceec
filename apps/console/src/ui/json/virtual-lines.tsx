import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  useImperativeHandle,
  useRef,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
} from 'react';

/** Number of lines up to which all are rendered, so that the browser's search finds them. */
export const DRAWN_MAX = 2000;
const LINE_HEIGHT = 20;

export interface VirtualLinesHandle {
  readonly scrollTo: (index: number) => void;
}

export interface VirtualLine {
  readonly props: HTMLAttributes<HTMLDivElement>;
  readonly content: ReactNode;
}

export interface VirtualLinesProps {
  readonly ref?: Ref<VirtualLinesHandle>;
  readonly count: number;
  /** Maximum height in pixels. */
  readonly maxHeight: number;
  /** Index of a line that stays rendered when it is scrolled out of view. */
  readonly active?: number;
  readonly container: HTMLAttributes<HTMLDivElement>;
  readonly line: (index: number) => VirtualLine;
}

/** Scrollable lines of text; above 2,000 lines only the visible ones are rendered. */
export function VirtualLines({
  ref,
  count,
  maxHeight,
  active = -1,
  container,
  line,
}: VirtualLinesProps): ReactElement {
  const scroll = useRef<HTMLDivElement>(null);
  const isVirtual = count > DRAWN_MAX;
  const virtual = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count,
    enabled: isVirtual,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return active < 0 || active >= count || shown.includes(active)
        ? shown
        : [...shown, active].sort((one, other) => one - other);
    },
  });
  useImperativeHandle(ref, () => ({
    scrollTo: (index) => {
      if (isVirtual) virtual.scrollToIndex(index);
      else scroll.current?.querySelector(`[data-line="${index}"]`)?.scrollIntoView({ block: 'nearest' });
    },
  }));
  const drawn = (index: number, top?: number): ReactElement => {
    const { props, content } = line(index);
    const style = top === undefined ? props.style : { ...props.style, transform: `translateY(${top}px)` };
    return (
      <div
        key={index}
        {...props}
        data-line={index}
        data-active={index === active || undefined}
        style={style}
        ref={top === undefined ? undefined : virtual.measureElement}
        data-index={index}
      >
        {content}
      </div>
    );
  };
  return (
    <div {...container} ref={scroll} className="virtual-lines code-well" style={{ maxHeight }}>
      {isVirtual ? (
        <div className="virtual-lines-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => drawn(index, start))}
        </div>
      ) : (
        Array.from({ length: count }, (_, index) => drawn(index))
      )}
    </div>
  );
}
