import { useEffect, useLayoutEffect, useState, type RefCallback } from 'react';
import type { PopupProps } from './popup-button';

interface AnchorProps {
  /** Ref that the parent, a Mantine `Target`, passes. */
  readonly ref?: RefCallback<HTMLElement>;
  readonly element: HTMLElement;
}

/** Makes an element that is rendered elsewhere the target of a Mantine popup. */
export function Anchor({ ref, element }: AnchorProps): null {
  useLayoutEffect(() => {
    ref?.(element);
    return () => {
      ref?.(null);
    };
  }, [ref, element]);
  return null;
}

/**
 * Converts the properties of a popup button to those of a Mantine popup. The popup opens after its
 * first render, so that it can return the focus when it closes.
 */
export function usePopup({ id, isOpen, onClose }: Omit<PopupProps, 'anchor'>): {
  readonly id: string;
  readonly opened: boolean;
  readonly onChange: (isOpen: boolean) => void;
} {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  const onChange = (opens: boolean): void => {
    if (!opens) onClose();
  };
  return { id, opened: isOpen && isDrawn, onChange };
}
