// Buttons of popups. What popups are drawn with comes from `anchor`, with the popups.
export { PopupButton, type PopupProps } from './popup-button';
