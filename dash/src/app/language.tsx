import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../session/use-session.js';
import { type Language, languageOf, LANGUAGES, speak, useTexts } from '../texts/texts.js';

/** Not part of the script of the sign-in page. */
const accountApi = () => import('../session/account-api.js');

const ME = ['account', 'me'];
const ALL = Object.keys(LANGUAGES) as Language[];

/**
 * Shows the other languages, each by its own name. Who is signed in keeps the choice with the account; for everybody else it stands in
 * the address, where a reload and every link of the page find it.
 */
export function LanguageButtons() {
  const { frame, language } = useTexts();
  const { status } = useSession();
  const { lang } = useSearch({ strict: false });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const choose = useMutation({
    mutationFn: async (chosen: Language) => {
      if (status === 'signed-in')
        queries.setQueryData(ME, await (await accountApi()).updateProfile({ language: chosen }));
      await speak(chosen);
      if (status === 'signed-out' || lang !== undefined)
        await navigate({ to: '.', search: withLanguage(chosen), replace: true });
    },
  });
  return (
    <div role="group" aria-label={frame.languages}>
      {ALL.filter((one) => one !== language).map((one) => (
        // What does not succeed leaves everything as it is.
        <Button key={one} variant="subtle" size="sm" lang={one} onClick={() => choose.mutate(one)}>
          {LANGUAGES[one]}
        </Button>
      ))}
    </div>
  );
}

function withLanguage(lang: Language) {
  return (search: object) => ({ ...search, lang });
}

/** Speaks the language that the signed-in person has chosen, whatever the browser says. */
export function useAccountLanguage(): void {
  const session = useSession();
  const account = session.status === 'signed-in' ? session.account : null;
  const query = { queryKey: ME, queryFn: async () => (await accountApi()).getCurrentUser(), enabled: account !== null };
  const { data: user } = useQuery(query);
  const chosen = user?.id === account ? languageOf(user?.language) : null;
  useEffect(() => {
    if (chosen !== null) speak(chosen).catch(() => {});
  }, [chosen, account]);
}
