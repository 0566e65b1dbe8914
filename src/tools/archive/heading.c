#include "tools/archive/heading.h"

#include "libdisk/log_label.h"

enum stamp_digits heading_digits(const struct log_label *label)
{
	return label->version == DISK_V2 ? STAMP_MICRO : STAMP_NANO;
}

void heading_print(FILE *f, const struct log_label *label, const struct timespec *end,
		   const struct heading_style *style)
{
	char text[STAMP_ROOM];

	fprintf(f, "Log Label (Log Format Version %d)\n", label->version);
	fprintf(f, "Performance metrics from host %s\n", label->host);
	stamp_date(text, &label->start, style->digits);
	fprintf(f, "%*scommencing %s\n", style->indent, "", text);
	if (end != NULL)
		stamp_date(text, end, style->digits);
	fprintf(f, "%*sending     %s", style->indent, "", end != NULL ? text : "UNKNOWN");
	if (end == NULL && style->why != NULL)
		fprintf(f, " (%s)", style->why);
	fputc('\n', f);
}

void heading_more(FILE *f, const struct log_label *label, const struct heading_style *style)
{
	fprintf(f, "Archive timezone: %s\n", label->timezone);
	if (style->features && label->zoneinfo[0] != '\0')
		fprintf(f, "Archive zoneinfo: %s\n", label->zoneinfo);
	if (style->features && label->features != 0)
		fprintf(f, "Archive features: 0x%x\n", label->features);
	fprintf(f, "PID for pmlogger: %d\n", label->pid);
}
