import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getCurrentUser } from '../session/account-api.js';
import { useSession } from '../session/use-session.js';
import { type Language, languageOf, LANGUAGES, speak, useTexts } from '../texts/texts.js';

const ALL = Object.keys(LANGUAGES) as Language[];

/** The other languages, each by its own name. The choice holds for as long as the page is open; an account keeps its own. */
export function LanguageButtons() {
  const { frame, language } = useTexts();
  return (
    <div role="group" aria-label={frame.languages}>
      {ALL.filter((one) => one !== language).map((one) => (
        // Without the texts of the other language this one goes on.
        <Button key={one} variant="subtle" size="sm" lang={one} onClick={() => void speak(one).catch(() => {})}>
          {LANGUAGES[one]}
        </Button>
      ))}
    </div>
  );
}

/** Speaks the language that the signed-in person has chosen, whatever the browser says. */
export function useAccountLanguage(): void {
  const session = useSession();
  const account = session.status === 'signed-in' ? session.account : null;
  const query = { queryKey: ['account', 'me'], queryFn: getCurrentUser, enabled: account !== null };
  const { data: user } = useQuery(query);
  const chosen = user?.id === account ? languageOf(user?.language) : null;
  useEffect(() => {
    if (chosen !== null) speak(chosen).catch(() => {});
  }, [chosen, account]);
}
