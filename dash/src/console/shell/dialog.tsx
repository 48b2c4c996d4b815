import { type ReactNode, useEffect, useRef } from 'react';
import classes from './palette.module.css';

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Modal dialog. Escape or a click outside closes it, and the focus returns to the previous element. */
export function Dialog({ label, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-label={label}
      onCancel={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <div className={classes.inside}>{children}</div>
    </dialog>
  );
}
