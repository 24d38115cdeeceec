import { useEffect, useLayoutEffect, useState, type RefCallback } from 'react';
import type { PopupProps } from './popup-button';

interface AnchorProps {
  /** Given by the `Target` of Mantine that it is the child of. */
  readonly ref?: RefCallback<HTMLElement>;
  readonly element: HTMLElement;
}

/** Makes an element that was drawn elsewhere the target of a popup of Mantine. */
export function Anchor({ ref, element }: AnchorProps): null {
  useLayoutEffect(() => {
    ref?.(element);
    return () => {
      ref?.(null);
    };
  }, [ref, element]);
  return null;
}

/** Properties of a popup of Mantine by those of its button. It opens after its first drawing, by which it knows where the focus came from. */
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
