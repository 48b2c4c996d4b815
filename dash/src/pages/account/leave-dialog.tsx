import { useBlocker } from '@tanstack/react-router';
import { getSessionState } from '../../session/session-state.js';
import { isShowingSecret, leaveQuestion, canLeave } from '../../session/shown-once.js';
import { useTexts } from '../../texts/texts.js';
import { Question } from './question.js';
import { QuestionDialog } from './question-dialog.js';

/** Asks before the user leaves a page that shows a secret once: before navigation, reload, tab close and sign-out. */
export function LeaveDialog() {
  const { shownOnce } = useTexts('account');
  useBlocker({ shouldBlockFn: isBlocked, enableBeforeUnload: isShowingSecret });
  return (
    <QuestionDialog question={leaveQuestion} title={shownOnce.title}>
      {(close) => (
        <Question
          label={shownOnce.title}
          text={shownOnce.text}
          confirmLabel={shownOnce.leave}
          no={shownOnce.stay}
          onConfirm={() => close(true)}
          onCancel={() => close(false)}
        />
      )}
    </QuestionDialog>
  );
}

interface NavigationTarget {
  readonly current: { readonly pathname: string };
  readonly next: { readonly pathname: string };
}

/** Returns whether a navigation is blocked. Navigation within the page and the redirect after the session ends are not blocked. */
async function isBlocked({ current, next }: NavigationTarget): Promise<boolean> {
  if (current.pathname === next.pathname || getSessionState().status !== 'signed-in') return false;
  return !(await canLeave());
}
