import type { ReactElement } from 'react';
import { ICON_PATHS } from './icon-paths';

export type IconName = keyof typeof ICON_PATHS;

export interface IconProps {
  readonly name: IconName;
  /** Width and height in pixels; 16 by default. */
  readonly size?: number;
  /** Accessible name; absent for a decorative icon next to a text with the same meaning. */
  readonly label?: string;
  readonly className?: string;
}

/** An outline icon in the colour of the text around it. */
export function Icon({ name, size = 16, label, className = '' }: IconProps): ReactElement {
  const naming = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return (
    <svg
      {...naming}
      className={`icon ${className}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      focusable="false"
    >
      {ICON_PATHS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
