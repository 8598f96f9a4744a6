// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/machine_info.h"

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define UNKNOWN "unknown"

bool machine_cpuid_hypervisor(char signature[MACHINE_SIGNATURE_SIZE])
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned regs[3], eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx >> 31))
		return false;
	__cpuid(0x40000000, eax, regs[0], regs[1], regs[2]);
	memcpy(signature, regs, sizeof(regs));
	signature[sizeof(regs)] = '\0';
	return true;
#else
	return false;
#endif
}

static void set(char *to, size_t size, const char *value)
{
	snprintf(to, size, "%s", value);
}

static FILE *open_below(const char *root, const char *path)
{
	char full[4096];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return fopen(full, "r");
}

/* The first line of a file, or of a string of a devicetree, without its end. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
	FILE *file = open_below(root, path);
	bool found;

	if (!file)
		return false;
	found = fgets(line, size, file);
	fclose(file);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found && *line;
}

/* The next "NAME : VALUE" of a file of such lines; NULL after the last. @line is the room for it.
 */
static const char *next_field(FILE *file, const char *name, char *line, size_t size)
{
	size_t len = strlen(name);

	while (fgets(line, size, file)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, name, len) ||
		    line + len + strspn(line + len, " \t") != colon)
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = '\0';
		return colon;
	}
	return NULL;
}

static bool read_field(const char *root, const char *path, const char *name, char *value,
		       size_t size)
{
	FILE *file = open_below(root, path);
	const char *found;
	char line[4096];

	if (!file)
		return false;
	found = next_field(file, name, line, sizeof(line));
	if (found)
		set(value, size, found);
	fclose(file);
	return found;
}

static unsigned count_fields(const char *root, const char *path, const char *name)
{
	FILE *file = open_below(root, path);
	char line[4096];
	unsigned nr = 0;

	if (!file)
		return 0;
	while (next_field(file, name, line, sizeof(line)))
		nr++;
	fclose(file);
	return nr;
}

static void read_hypervisor(struct machine_info *info, const char *root,
			    machine_hypervisor_fn hypervisor)
{
	static const char *const names[][2] = {
		{"KVMKVMKVM", "KVM"},		{"Linux KVM Hv", "KVM"},
		{"Microsoft Hv", "Hyper-V"},	{"VMwareVMware", "VMware"},
		{"XenVMMXenVMM", "Xen"},	{"TCGTCGTCGTCG", "QEMU TCG (emulated CPU)"},
		{"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "ACRN"},
	};
	char signature[MACHINE_SIGNATURE_SIZE], text[64];

	if (hypervisor && hypervisor(signature)) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (!strcmp(signature, names[i][0])) {
				set(info->hypervisor, sizeof(info->hypervisor), names[i][1]);
				return;
			}
		}
		for (char *c = signature; *c; c++)
			*c = *c < ' ' || *c > '~' ? '?' : *c;
		snprintf(info->hypervisor, sizeof(info->hypervisor), UNKNOWN " (\"%s\")",
			 signature);
		return;
	}
	if (read_line(root, "/sys/hypervisor/type", text, sizeof(text)) ||
	    read_line(root, "/proc/device-tree/hypervisor/compatible", text, sizeof(text)))
		set(info->hypervisor, sizeof(info->hypervisor), text);
	else
		set(info->hypervisor, sizeof(info->hypervisor), "none");
}

/* "0-3,5" is 5 CPUs. */
static unsigned count_cpus(const char *list)
{
	unsigned nr = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return 0;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || (*end && *end != ','))
			return 0;
		nr += last - first + 1;
		list = *end ? end + 1 : end;
	}
	return nr;
}

static void read_cpus_online(struct machine_info *info, const char *root)
{
	char line[256];

	if (read_line(root, "/sys/devices/system/cpu/online", line, sizeof(line)))
		info->cpus_online = count_cpus(line);
	else
		info->cpus_online = count_fields(root, "/proc/cpuinfo", "processor");
}

static void read_governor(struct machine_info *info, const char *root)
{
	char pattern[4096], line[sizeof(info->governor)];
	glob_t found;

	set(info->governor, sizeof(info->governor), "none");
	snprintf(pattern, sizeof(pattern),
		 "%s/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", root);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (!read_line("", found.gl_pathv[i], line, sizeof(line)))
			continue;
		if (i && strcmp(line, info->governor))
			set(line, sizeof(line), "mixed");
		set(info->governor, sizeof(info->governor), line);
		if (!strcmp(line, "mixed"))
			break;
	}
	globfree(&found);
}

static void read_boost(struct machine_info *info, const char *root)
{
	const char *state = UNKNOWN;
	char line[16];

	if (read_line(root, "/sys/devices/system/cpu/cpufreq/boost", line, sizeof(line)))
		state = strcmp(line, "0") ? "on" : "off";
	else if (read_line(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", line,
			   sizeof(line)))
		state = strcmp(line, "0") ? "off" : "on";
	set(info->boost, sizeof(info->boost), state);
}

void machine_info_read(struct machine_info *info, const char *root,
		       machine_hypervisor_fn hypervisor)
{
	char line[256];
	uint64_t kib;

	memset(info, 0, sizeof(*info));
	/* Arm's cpuinfo has no model name; its devicetree names the board. */
	if (!read_field(root, "/proc/cpuinfo", "model name", info->cpu_model,
			sizeof(info->cpu_model)) &&
	    !read_line(root, "/proc/device-tree/model", info->cpu_model, sizeof(info->cpu_model)))
		set(info->cpu_model, sizeof(info->cpu_model), UNKNOWN);
	read_hypervisor(info, root, hypervisor);
	read_cpus_online(info, root);
	if (!read_line(root, "/proc/sys/kernel/osrelease", info->kernel_release,
		       sizeof(info->kernel_release)))
		set(info->kernel_release, sizeof(info->kernel_release), UNKNOWN);
	read_governor(info, root);
	read_boost(info, root);
	if (!read_line(root, "/proc/loadavg", line, sizeof(line)) ||
	    sscanf(line, "%lf %lf %lf", &info->load[0], &info->load[1], &info->load[2]) != 3)
		info->load[0] = info->load[1] = info->load[2] = -1;
	if (read_field(root, "/proc/meminfo", "MemTotal", line, sizeof(line)) &&
	    sscanf(line, "%" SCNu64 " kB", &kib) == 1)
		info->ram_bytes = kib << 10;
	set(info->libzstd, sizeof(info->libzstd), ZSTD_versionString());
}

void machine_info_print(const struct machine_info *info, const char *indent, FILE *out)
{
	fprintf(out, "%scpu: %s\n", indent, info->cpu_model);
	fprintf(out, "%shypervisor: %s\n", indent, info->hypervisor);
	if (info->cpus_online)
		fprintf(out, "%scpus online: %u\n", indent, info->cpus_online);
	else
		fprintf(out, "%scpus online: " UNKNOWN "\n", indent);
	fprintf(out, "%sgovernor: %s, boost: %s\n", indent, info->governor, info->boost);
	if (info->ram_bytes)
		fprintf(out, "%sram: %.1f GiB\n", indent, (double)info->ram_bytes / (1 << 30));
	else
		fprintf(out, "%sram: " UNKNOWN "\n", indent);
	fprintf(out, "%skernel: %s\n", indent, info->kernel_release);
	if (info->load[0] >= 0)
		fprintf(out, "%sload average: %.2f %.2f %.2f\n", indent, info->load[0],
			info->load[1], info->load[2]);
	else
		fprintf(out, "%sload average: " UNKNOWN "\n", indent);
	fprintf(out, "%slibzstd: %s\n", indent, info->libzstd);
}

static json_t *known_string(const char *value)
{
	return strcmp(value, UNKNOWN) ? json_string(value) : json_null();
}

json_t *machine_info_json(const struct machine_info *info)
{
	const double *load = info->load;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "cpu_model",
		known_string(info->cpu_model), "hypervisor", known_string(info->hypervisor),
		"cpus_online", info->cpus_online ? json_integer(info->cpus_online) : json_null(),
		"governor", known_string(info->governor), "boost", known_string(info->boost),
		"ram_bytes", info->ram_bytes ? json_integer(info->ram_bytes) : json_null(),
		"kernel_release", known_string(info->kernel_release), "load_average",
		load[0] < 0 ? json_null() : json_pack("[f, f, f]", load[0], load[1], load[2]),
		"libzstd", info->libzstd);
}
