import { Button, Loader } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { explainAsText } from '../../api/explain.js';
import { exportAccount } from '../../session/account-api.js';
import { Notice } from '../../ui/notice.js';
import { Section } from './section.js';
import { useTexts } from '../../texts/texts.js';
import { saveFile } from '../../ui/save-file.js';

export function ExportAccount() {
  const { data } = useTexts('account').account;
  const heading = useRef<HTMLHeadingElement>(null);
  const download = useMutation({
    mutationFn: exportAccount,
    onSuccess: (file) => {
      saveFile(file, 'account.json');
      heading.current?.focus();
    },
  });
  return (
    <Section title={data.title} lead={data.lead} headingRef={heading}>
      {download.isSuccess && <Notice tone="success">{data.ready}</Notice>}
      {download.error && <Notice tone="problem">{explainAsText(download.error)}</Notice>}
      <div>
        <Button
          variant="default"
          size="sm"
          aria-disabled={download.isPending || undefined}
          rightSection={download.isPending ? <Loader size="xs" color="currentColor" aria-hidden /> : undefined}
          onClick={() => download.isPending || download.mutate()}
        >
          {data.download}
        </Button>
      </div>
    </Section>
  );
}
